import { QueryClient } from "@tanstack/react-query";
import { beforeEach, describe, expect, it } from "vitest";
import type { Job, Schemas } from "./client";
import { applyPipeline, applyStageJob, applySweep } from "./liveRuns";

const AT = "2026-12-03T06:00:00Z";
const pipeline: Schemas["Pipeline"] = {
  id: "p1",
  name: "math",
  state: "running",
  fresh: false,
  counts: {},
  created_at: AT,
};
const sweep = { id: "s1", name: "rates", state: "running", created_at: AT } as Schemas["Sweep"];

let client: QueryClient;
beforeEach(() => {
  client = new QueryClient();
});

describe("a changed pipeline", () => {
  const page = { pipelines: [pipeline], total: 1, page: 1, size: 50 };

  it("takes its place in lists and on its own page, by whatever name that was asked for", () => {
    client.setQueryData(["pipelines", { page: 1 }], page);
    client.setQueryData(["pipeline", "math"], { ...pipeline, text: "stages: {}", stages: [] });
    const now = { ...pipeline, counts: { running: 1 } };
    expect(applyPipeline(client, now)).toBe(false);
    expect(client.getQueryData(["pipelines", { page: 1 }])).toEqual({ ...page, pipelines: [now] });
    expect(client.getQueryData(["pipeline", "math"])).toEqual({
      ...now,
      text: "stages: {}",
      stages: [],
    });
  });

  it("has lists asked for again when they did not know it, or not in this state", () => {
    client.setQueryData(["pipelines", { page: 1 }], page);
    expect(applyPipeline(client, { ...pipeline, id: "p2" })).toBe(true);
    expect(applyPipeline(client, { ...pipeline, state: "failed" })).toBe(true);
  });

  it("leaves others alone", () => {
    client.setQueryData(["pipeline", "p2"], { ...pipeline, id: "p2" });
    applyPipeline(client, { ...pipeline, state: "failed" });
    expect(client.getQueryData(["pipeline", "p2"])).toMatchObject({ id: "p2", state: "running" });
  });
});

describe("a changed sweep", () => {
  it("takes its place in the list and on its own page", () => {
    client.setQueryData(["sweeps"], [sweep]);
    client.setQueryData(["sweep", "s1"], { ...sweep, trials: [] });
    const now = { ...sweep, best: 3 };
    expect(applySweep(client, now)).toBe(false);
    expect(client.getQueryData(["sweeps"])).toEqual([now]);
    expect(client.getQueryData(["sweep", "s1"])).toEqual({ ...now, trials: [] });
    expect(applySweep(client, { ...sweep, id: "s2" })).toBe(true);
  });
});

describe("the job of a stage", () => {
  it("shows its progress", () => {
    const job = { id: "j1", name: "math-sft", progress: { step: 1, total: 9 } } as Job;
    const before = { ...pipeline, stages: [{ name: "sft", job }, { name: "score" }] };
    client.setQueryData(["pipeline", "p1"], before);
    applyStageJob(client, { ...job, id: "j2" });
    expect(client.getQueryData(["pipeline", "p1"])).toBe(before);
    applyStageJob(client, { ...job, progress: { step: 5, total: 9 } } as Job);
    expect(client.getQueryData(["pipeline", "p1"])).toMatchObject({
      stages: [{ job: { name: "math-sft", progress: { step: 5 } } }, { name: "score" }],
    });
  });
});
