import { describe, expect, it } from "vitest";
import { buildOf, type Runtime, removable, shareOf, type Task } from "./queries";

function task(id: string, target: string, more: Partial<Task> = {}): Task {
  return { id, kind: "runtime", target, state: "running", started_at: "", ...more } as Task;
}

describe("builds of runtimes", () => {
  it("are found by name and device, the newest first", () => {
    const tasks = [task("2", "trl/cpu"), task("1", "trl/cpu"), task("3", "trl/cuda")];
    expect(buildOf(tasks, { name: "trl", device: "cpu" } as Runtime)?.id).toBe("2");
    expect(buildOf(tasks, { name: "verl", device: "cpu" } as Runtime)).toBeUndefined();
  });

  it("say how much is done once there is something to count", () => {
    expect(shareOf(task("1", "a"))).toBeNull();
    expect(shareOf(task("1", "a", { done: 0, total: 61 }))).toBe(0);
    expect(shareOf(task("1", "a", { done: 30, total: 60 }))).toBe(50);
  });
});

describe("removing", () => {
  const runtime = (digest: string, current: boolean, installed = true): Runtime =>
    ({ name: "trl", device: "cpu", digest, current, installed }) as Runtime;

  it("takes older builds along, and is offered once", () => {
    const all = [runtime("new", true), runtime("old", false)];
    expect(removable(all, all[0] as Runtime)).toHaveLength(2);
    expect(removable(all, all[1] as Runtime)).toEqual([]);
  });

  it("is offered at an older build that is alone, and not at what is not there", () => {
    const all = [runtime("new", true, false), runtime("old", false)];
    expect(removable(all, all[0] as Runtime)).toEqual([]);
    expect(removable(all, all[1] as Runtime)).toHaveLength(1);
  });
});
