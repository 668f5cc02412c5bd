/**
 * Texts of the console, one file a part of it. A file exports `en` and `zh` of one shape
 * (`zh satisfies Texts<typeof en>`): a text missing in a language does not compile.
 */
import * as board from "./board";
import * as charts from "./charts";
import * as choose from "./choose";
import * as common from "./common";
import * as job from "./job";
import * as jobs from "./jobs";
import * as logs from "./logs";
import * as methods from "./methods";
import * as newJob from "./new-job";
import * as runs from "./runs";
import * as samples from "./samples";
import * as settings from "./settings";

const parts = {
  common,
  jobs,
  job,
  charts,
  samples,
  logs,
  methods,
  choose,
  newJob,
  runs,
  board,
  settings,
};

export const resources = {
  en: Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, part.en])),
  zh: Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, part.zh])),
};
