import type { JobDetail } from "@/api/client";

export function SystemTab({ job }: { job: JobDetail }) {
  return <div data-job={job.id} />;
}
