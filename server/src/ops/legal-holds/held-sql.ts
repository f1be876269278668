// Parts of statements: which records a legal hold keeps. A released hold, and one whose time is over, keeps nothing.

/** Columns that name a stop; `stop` may be null for a record of its whole route. */
interface Place {
  readonly facility: string;
  readonly route: string;
  readonly week: string;
  readonly stop: string;
}

const placeOf = (row: string): Place => ({
  facility: `${row}.facility`,
  route: `${row}.route_id`,
  week: `${row}.week_end`,
  stop: `${row}.stop_id`,
});

/** Whether the hold `h` is in force. @param now the parameter with the time */
export const inForce = (now: string): string =>
  `h.released_at is null and (h.until is null or h.until > ${now}::timestamptz)`;

/**
 * Whether a customer had the plan before the present one: the host can give a stop to another one, and a hold keeps what
 * was recorded for the former. The first condition is that of an index.
 */
export const hadCustomer = (plan: string, customer: string): string =>
  `${plan}.former_customers <> '{}' and ${customer} = any (${plan}.former_customers)`;

/** Whether the hold `h` covers a place. A hold of one stop covers the records of its whole route. */
export const coversPlace = ({ facility, route, week, stop }: Place): string =>
  `h.facility = ${facility}
   and case when h.customer is null
            then h.route_id = ${route} and h.week_end = ${week} and (h.stop_id is null or ${stop} is null or h.stop_id = ${stop})
            else exists (select from stop_plan held_plan
                          where held_plan.facility = ${facility} and held_plan.route_id = ${route}
                            and held_plan.week_end = ${week} and (${stop} is null or held_plan.stop_id = ${stop})
                            and (held_plan.customer = h.customer or ${hadCustomer('held_plan', 'h.customer')})) end`;

/** Whether a hold in force covers a row with the columns of a stop. @param now the parameter with the time */
export const isHeld = (row: string, now: string): string =>
  `exists (select from legal_hold h where ${inForce(now)} and ${coversPlace(placeOf(row))})`;

/** The same for a row of `route`: a hold of any of its stops. */
export const isRouteHeld = (row: string, now: string): string =>
  `exists (select from legal_hold h
            where ${inForce(now)}
              and ${coversPlace({ facility: `${row}.facility`, route: `${row}.id`, week: `${row}.week_end`, stop: 'null::smallint' })})`;

/** In JSON each id of a file is a string of its own. */
const idsIn = (text: string): string => `regexp_matches(${text}, '"([A-Za-z0-9]{16})"', 'g') as found`;

/**
 * Common tables that end in `held_file (id)`: every file that a held stop names, or that one of its changes has named, also a
 * refused or dismissed one. The bytes of those can be no text.
 *
 * @param now the parameter with the time
 */
export const heldFiles = (now: string): string =>
  `held as materialized (
     select h.facility, h.route_id, h.week_end, h.stop_id from legal_hold h where ${inForce(now)} and h.customer is null
      union
     select p.facility, p.route_id, p.week_end, p.stop_id
       from legal_hold h join stop_plan p on p.customer = h.customer and p.facility = h.facility
      where ${inForce(now)}
      union
     select p.facility, p.route_id, p.week_end, p.stop_id
       from legal_hold h join stop_plan p on p.facility = h.facility and ${hadCustomer('p', 'h.customer')}
      where ${inForce(now)}
   ), held_file as materialized (
     select found[1] as id
       from held join stop_result s on s.facility = held.facility and s.route_id = held.route_id
                                   and s.week_end = held.week_end and s.stop_id = coalesce(held.stop_id, s.stop_id)
      cross join lateral ${idsIn('s.doc')}
      union
     select found[1]
       from held join ledger l on l.facility = held.facility and l.route_id = held.route_id
                              and l.week_end = held.week_end and l.stop_id = coalesce(held.stop_id, l.stop_id)
      cross join lateral ${idsIn('l.body')}
      union
     select found[1]
       from held join quarantine q on q.facility = held.facility and q.route_id = held.route_id and q.week_end = held.week_end
                                  and (held.stop_id is null or q.stop_id is null or q.stop_id = held.stop_id)
      cross join lateral ${idsIn("encode(q.body, 'escape')")}
   )`;
