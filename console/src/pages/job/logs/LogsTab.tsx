import type { JobDetail } from "@/api/client";

export function LogsTab({ job }: { job: JobDetail }) {
  return <div data-job={job.id} />;
}
