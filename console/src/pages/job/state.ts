/** What a job's fields say, for lists and its own page alike. */
import type { TFunction } from "i18next";
import type { Job } from "@/api/client";
import { isLive } from "@/ui/StateBadge";

/** A reason in words; a code this page does not know as it is; `completed` says nothing new. */
export function reasonText(
  reason: string | null | undefined,
  t: TFunction<never, undefined> | TFunction<"job"> | TFunction<"jobs">,
): string {
  if (!reason || reason === "completed") return "";
  return (t as (key: string, options: { defaultValue: string }) => string)(
    `common:reasons.${reason}`,
    { defaultValue: reason },
  );
}

type Timed = Pick<Job, "state" | "started_at" | "ended_at">;

/** Seconds it ran, up to now while it lives; `null` before it started. */
export function secondsRun(job: Timed, now: number): number | null {
  if (!job.started_at) return null;
  const end = job.ended_at ? Date.parse(job.ended_at) : isLive(job.state) ? now : Number.NaN;
  const seconds = (end - Date.parse(job.started_at)) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : null;
}

/** The share of its steps it has done, between 0 and 1; `null` when that is not known. */
export function shareDone(job: Pick<Job, "progress">): number | null {
  const { step, total } = job.progress ?? {};
  if (step === null || step === undefined || !total) return null;
  return Math.min(1, Math.max(0, step / total));
}
