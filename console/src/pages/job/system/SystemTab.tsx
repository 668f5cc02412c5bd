import type { JobDetail } from "@/api/client";
import { ChartsTab } from "../charts/ChartsTab";

const isSystem = (name: string) => name.startsWith("system/");

/** What the job's processes used of the machine. */
export function SystemTab({ job }: { job: JobDetail }) {
  return <ChartsTab job={job} only={isSystem} />;
}
