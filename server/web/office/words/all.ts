import * as causes from './causes.ts';
import * as check from './check.ts';
import * as first from './first.ts';
import * as evidence from './evidence.ts';
import * as flags from './flags.ts';
import * as history from './history.ts';
import * as host from './host.ts';
import * as inbox from './inbox.ts';
import * as incidents from './incidents.ts';
import * as legalHolds from './legal-holds.ts';
import * as parked from './parked.ts';
import * as routes from './routes.ts';
import * as search from './search.ts';
import * as stop from './stop.ts';
import * as phones from './phones.ts';
import * as proof from './proof.ts';
import * as quarantine from './quarantine.ts';
import * as repair from './repair.ts';
import * as rescue from './rescue.ts';
import * as shell from './shell.ts';
import * as signIn from './sign-in.ts';

// A file for each screen, with all languages in it. A new one is one more row in each table.

export const en = {
  ...shell.en,
  ...signIn.en,
  ...inbox.en,
  ...causes.en,
  ...incidents.en,
  ...first.en,
  ...flags.en,
  ...parked.en,
  ...repair.en,
  ...rescue.en,
  ...proof.en,
  ...check.en,
  ...evidence.en,
  ...legalHolds.en,
  ...quarantine.en,
  ...phones.en,
  ...host.en,
  ...history.en,
  ...routes.en,
  ...stop.en,
  ...search.en,
};

export const es = {
  ...shell.es,
  ...signIn.es,
  ...inbox.es,
  ...causes.es,
  ...incidents.es,
  ...first.es,
  ...flags.es,
  ...parked.es,
  ...repair.es,
  ...rescue.es,
  ...proof.es,
  ...check.es,
  ...evidence.es,
  ...legalHolds.es,
  ...quarantine.es,
  ...phones.es,
  ...host.es,
  ...history.es,
  ...routes.es,
  ...stop.es,
  ...search.es,
};
