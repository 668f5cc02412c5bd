import { QueryClient } from "@tanstack/react-query";
import { beforeEach, expect, it, vi } from "vitest";
import { api } from "@/api/client";
import { batchesOf, firstCurves, groupsOf, type Series, windowOf } from "./first";
import { parseSettings } from "./settings";

const series = (...names: string[]) => names.map((name) => ({ name }) as Series);
const JOB = { id: "2nvp4zj72a", method: "trl/sft", state: "succeeded" } as never;
const get = vi.spyOn(api, "GET");

beforeEach(() => {
  localStorage.clear();
  get.mockReset().mockResolvedValue({ data: {}, response: Response.json({}) } as never);
});

it("puts pinned charts on top, and keeps the order that was given", () => {
  const all = series("train/loss", "train/kl", "rollout/length");
  const groups = groupsOf(all, "", { pinned: ["rollout/length"], order: ["train/kl"] });
  expect(groups.map((group) => [group.prefix, group.items.map((one) => one.name)])).toEqual([
    [null, ["rollout/length"]],
    ["train", ["train/kl", "train/loss"]],
  ]);
  expect(groupsOf(all, "KL", { pinned: [], order: [] }).map((one) => one.prefix)).toEqual([
    "train",
  ]);
});

it("asks for many charts in portions", () => {
  const names = Array.from({ length: 30 }, (_, at) => `train/${at}`);
  expect(batchesOf(series(...names)).map((batch) => batch.length)).toEqual([12, 12, 6]);
});

it("asks before the tab is there for exactly what its first group will ask", async () => {
  const client = new QueryClient();
  const search = { lo: "60", hi: "120" };
  await firstCurves(client, JOB, series("system/cpu", "train/loss", "train/kl"), search);
  const names = ["train/loss", "train/kl"];
  const query = { name: names, buckets: 1000, x: "step", lo: 60, hi: 120 };
  expect(get).toHaveBeenCalledExactlyOnceWith("/api/v1/jobs/{job}/metrics", {
    params: { path: { job: "2nvp4zj72a" }, query },
  });
  const key = ["job", "2nvp4zj72a", "metrics", names];
  expect(client.getQueryData([...key, windowOf(parseSettings(search))])).toEqual({});
});

it("asks for nothing where nothing is shown", async () => {
  await firstCurves(new QueryClient(), JOB, series("system/cpu"), {});
  expect(get).not.toHaveBeenCalled();
});
