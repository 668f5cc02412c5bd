import type { JobDetail } from "@/api/client";

export function SamplesTab({ job }: { job: JobDetail }) {
  return <div data-job={job.id} />;
}
