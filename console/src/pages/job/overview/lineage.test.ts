import { expect, it } from "vitest";
import { jobOf } from "./lineage";

it.each([
  ["job:abc123", "abc123"],
  ["job:abc123@step-40", "abc123"],
  ["Qwen/Qwen3-0.6B", null],
  ["dataset:job@1", null],
])("%s names the job %s", (reference, job) => expect(jobOf(reference)).toBe(job));
