import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { stringify } from "yaml";
import { folderOfTest } from "../../support/of-test.ts";

/** The rules that are installed. */
export const alertRules = join(import.meta.dirname, "../../../deploy/helm/lectern/files/prometheus-alerts.yaml");

/** A process at two times. */
export interface Watched {
  /** Its metrics by series, null if it did not answer. */
  readonly before: ReadonlyMap<string, number> | null;
  readonly after: ReadonlyMap<string, number> | null;
  /** Series that go on as they went between the two: counters and times. The others keep their last value. */
  readonly continuing: ReadonlySet<string>;
  /** Time of the second, and seconds between the two. */
  readonly at: number;
  readonly seconds: number;
}

/** Interval of scrapes that are made up from the two, in seconds. */
const interval = 15;

/** Scrapes a process, does something, and scrapes it again. */
export async function watch(url: string, meanwhile: () => Promise<unknown> = () => sleep(3000)): Promise<Watched> {
  const first = await scrape(url);
  await meanwhile();
  const second = await scrape(url);
  const continuing = new Set([...(first?.continuing ?? []), ...(second?.continuing ?? [])]);
  const times = { at: second.at / 1000, seconds: (second.at - first.at) / 1000 };
  return { before: first.values, after: second.values, continuing, ...times };
}

async function scrape(url: string) {
  const text = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(10_000) }).then(
    (response) => response.text(),
    () => null,
  );
  const at = Date.now();
  if (text === null) return { values: null, continuing: [], at };
  const kinds = new Map([...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = "", kind = ""]) => [name, kind]));
  const values = new Map(
    [...text.matchAll(/^(\w+(?:\{.*\})?) ([-+.\de]+)$/gm)].map(([, series = "", value]) => [series, Number(value)]),
  );
  const continuing = [...values.keys()].filter((series) => {
    const name = series.replace(/\{.*/s, "");
    return kinds.get(name) !== "gauge" || name.endsWith("_seconds");
  });
  return { values, continuing, at };
}

/** Gauges whose value is a Unix time. */
const unixTimes = /^lectern_(?:sweep_last|backup_last|credentials_expire)_seconds$/;

/** The alert that a busy machine sets off beside any other one. */
const slow = "LecternSlowAnswers";

/** What promtool says against exactly these alerts firing after a time, if the process stays as it was seen; "" for nothing. */
export async function differences(promtool: string, watched: Watched, minutes: number, firing: readonly string[]) {
  const judgesSpeed = firing.length === 0 || firing.includes(slow);
  const rest = (minutes * 60) / interval;
  const own = { instance: "lectern:8080", job: "lectern" };
  const labels = Object.entries(own).map(([name, value]) => `${name}="${value}"`);
  const series = [...(watched.after ?? [])].map(([name, value]) => {
    const [, metric = "", given = ""] = /^(\w+)(?:\{(.*)\})?$/s.exec(name) ?? [];
    const step = watched.continuing.has(name)
      ? ((value - (watched.before?.get(name) ?? 0)) * interval) / watched.seconds
      : 0;
    // The clock of promtool begins with 1970, at the second scrape.
    const start = unixTimes.test(metric) ? value - watched.at : value;
    return {
      series: `${metric}{${[...labels, ...(given ? [given] : [])].join(",")}}`,
      values: `${start.toFixed(9)}${step < 0 ? "-" : "+"}${Math.abs(step).toFixed(9)}x${rest}`,
    };
  });
  const file = join(await folderOfTest(), "test.yaml");
  const test = {
    interval: `${interval}s`,
    input_series: [{ series: `up{${labels.join(",")}}`, values: `${watched.after ? 1 : 0}+0x${rest}` }, ...series],
    promql_expr_test: [
      {
        expr: `group by (alertname) (ALERTS{alertstate="firing",alertname!="${judgesSpeed ? "" : slow}"})`,
        eval_time: `${minutes}m`,
        exp_samples: firing.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 })),
      },
    ],
  };
  await writeFile(file, stringify({ rule_files: [alertRules], evaluation_interval: "1m", tests: [test] }));
  return new Promise<string>((resolve) => {
    execFile(promtool, ["test", "rules", file], (error, stdout, stderr) => {
      resolve(error ? `${stdout}${stderr}` : "");
    });
  });
}
