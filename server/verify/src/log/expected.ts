import { listOf, objectOf, type Fields } from '../json.ts';

// The facts of `pack.json` as the log must have them.

/** A fact of the record, and what its leaf must say. */
export interface Expected {
  readonly kind: 'mutation' | 'file' | 'act' | 'mail';
  readonly id: string;
  /** The last part of the origin of its log: `F01`, `service`. */
  readonly log: string;
  readonly fields: Fields;
  /** Values that the leaf commits to; empty where the pack withholds them. */
  readonly personal: Readonly<Record<string, string>>;
}

/** The facts without a facility of their own have this log. */
const serviceLog = 'service';

/**
 * Every mention of a fact: packs of routes have the file of two stops, and the act on a route, more than once. A forger can
 * put another text beside the true one, so each mention must be that of the leaf.
 *
 * @param stops of `pack.json`
 */
export function expectedFacts(stops: readonly unknown[], isNameless: boolean): readonly Expected[] {
  return stops.map(objectOf).flatMap((stop) => {
    const place = objectOf(stop['place']);
    const log = encodeURIComponent(String(place['facility']));
    return [
      ...listOf(stop['facts']).map((fact) => mutationOf(objectOf(fact), place, log)),
      ...listOf(stop['files']).flatMap((file) => fileOf(objectOf(file))),
      ...listOf(stop['acts']).map((act) => actOf(objectOf(act), place, { log, isNameless })),
      ...listOf(stop['mails']).map((mail) => mailOf(objectOf(mail), log)),
    ];
  });
}

function mutationOf(fact: Fields, { route_id, week_end, stop_id }: Fields, log: string): Expected {
  const { id, hash, prev_hash, client_id, seq, source, version, captured_at, edit_time, received_at, result } = fact;
  const isWithheld = fact['body'] === null;
  const fields = {
    ...{ hash, prev_hash, client: client_id, seq, source, route: route_id, week_end, stop: stop_id, version, result },
    ...{ captured: captured_at, edited: edit_time, at: received_at },
    ...(!isWithheld && { warnings: listOf(fact['warnings']).map((warning) => objectOf(warning)['code']) }),
  };
  const personal = isWithheld ? {} : textsOf({ employee: fact['employee'] });
  return { kind: 'mutation', id: String(id), log, fields, personal };
}

function fileOf({ asset_id, sha256, size, received_at }: Fields): Expected[] {
  if (sha256 === null) return [];
  const fields = { sha256, size, at: received_at };
  return [{ kind: 'file', id: String(asset_id), log: serviceLog, fields, personal: {} }];
}

function actOf(
  act: Fields,
  { route_id, week_end }: Fields,
  { log, isNameless }: { readonly log: string; readonly isNameless: boolean },
): Expected {
  const { act_id, at, act: what, subject_kind, stop_id, by, subject, reason, before, after } = act;
  const fields = { at, act: what, subject_kind, route: route_id, week_end, stop: stop_id };
  const personal = isNameless ? {} : textsOf({ by, subject, reason, before, after });
  return { kind: 'act', id: String(act_id), log, fields, personal };
}

const mailOf = ({ mutation_id, sent_at }: Fields, log: string): Expected => ({
  kind: 'mail',
  id: String(mutation_id),
  log,
  fields: { at: sent_at },
  personal: {},
});

const textsOf = (values: Fields): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
