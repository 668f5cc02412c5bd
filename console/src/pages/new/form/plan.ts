/** What a launch plan says, in the parts that a person looks at before submitting. */
import type { Plan as ConfigPlan } from "../../job/config/configRows";

export interface Plan extends ConfigPlan {
  method: string;
  version: string;
  processes: { role: string; argv: string[]; count: number }[];
  resources: { cpus: number; gpus: number; profile: string };
  inputs: { name: string; location: string; rows?: number | null }[];
  runtime?: { name: string; device: string } | null;
  total_steps?: number | null;
}

/** Arguments as one would type them into a shell. */
export function commandLine(argv: readonly string[]): string {
  return argv.map((word) => (/^[\w@%+=:,./${}-]+$/.test(word) ? word : quoted(word))).join(" ");
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'"'"'`)}'`;
}
