# Two images: `lectern` for setup, API and workers, `browser` for the worker that needs Chromium.
FROM node:24.21.0-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The Node that comes with the packages is for machines without one.
RUN npm ci --omit=dev && rm -rf node_modules/node-linux-* node_modules/.bin/node

FROM node:24.21.0-bookworm-slim AS lectern
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates git openssh-client tini \
 && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json LICENSE ./
COPY activities ./activities
COPY sources ./sources
COPY stores ./stores
COPY api ./api
COPY cli ./cli
COPY docs ./docs
COPY domain ./domain
COPY extract ./extract
COPY search ./search
COPY workers ./workers
COPY workflows ./workflows
RUN ln -s /app/cli/lectern.mjs /usr/local/bin/lectern
# A volume takes over the owner of the folder that it is mounted at first.
RUN install -d -o node -g node -m 0700 /data /blobs /run/lectern /app/node_modules/.cache
USER node
# What workers start from, made once here instead of at each start.
RUN node cli/lectern.mjs worker --bundle
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.WORKER_PORT || process.env.PORT || 8080}/api/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--", "node", "/app/cli/lectern.mjs"]
CMD ["serve"]

FROM lectern AS browser
USER root
RUN apt-get update \
 && apt-get install -y --no-install-recommends chromium fonts-liberation libnss3-tools \
 && rm -rf /var/lib/apt/lists/*
USER node
ENV CHROMIUM_PATH=/usr/bin/chromium
CMD ["worker"]
