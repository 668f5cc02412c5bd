import type { JobDetail } from "@/api/client";

export function ChartsTab({ job }: { job: JobDetail }) {
  return <div data-job={job.id} />;
}
