import { statement } from '../../db/statement.ts';
import { coversPlace, hadCustomer, inForce } from './held-sql.ts';

const shown = `h.legal_hold_id, h.facility, h.route_id, h.week_end, h.stop_id, h.customer, h.reason, h.placed_at, h.placed_by,
       h.until, h.released_at, h.released_by`;

const held = inForce('$1');
const coversAsked = coversPlace({ facility: '$2', route: '$3', week: '$4::text', stop: '$5::smallint' });
const hadAsked = hadCustomer('p', '$2');
const coversStop = coversPlace({ facility: '$1', route: '$2', week: '$3', stop: '$4::smallint' });

/** $1 to $10: the columns in their order. */
export const insertHold = statement(
  'legal_hold_insert',
  `insert into legal_hold as h (facility, legal_hold_id, route_id, week_end, stop_id, customer, reason, placed_at, placed_by,
                                until)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning ${shown}`,
);

/**
 * Holds in force, the oldest first: all, those of a facility, or those that cover a route or a stop. $1 now, $2 facility,
 * $3 route, $4 week, $5 stop, each or null.
 */
export const listHolds = statement(
  'legal_hold_list',
  `select ${shown} from legal_hold h
    where ${held} and ($2::text is null or h.facility = $2)
      and ($3::text is null
           or ${coversAsked})
    order by h.placed_at, h.legal_hold_id limit 500`,
);

/** Every hold that covers or has covered a stop, the oldest first. $1 facility, $2 route, $3 week, $4 stop. */
export const listHoldsOfStop = statement(
  'legal_hold_of_stop',
  `select ${shown} from legal_hold h
    where ${coversStop}
    order by h.placed_at, h.legal_hold_id`,
);

/** No row where it is released. $1 hold, $2 now, $3 author. */
export const releaseHold = statement(
  'legal_hold_release',
  `update legal_hold h set released_at = $2, released_by = $3
    where h.legal_hold_id = $1 and h.released_at is null returning ${shown}`,
);

/** Whether there is something to hold. $1 facility, $2 route, $3 week, $4 stop or null. */
export const findPlace = statement(
  'legal_hold_find_place',
  `select exists (select from route r where r.facility = $1 and r.id = $2 and r.week_end = $3) as has_route,
          $4::smallint is null
            or exists (select from stop_result s where s.facility = $1 and s.route_id = $2 and s.week_end = $3
                                                   and s.stop_id = $4) as has_stop`,
);

/** $1 facility, $2 customer. */
export const findCustomer = statement(
  'legal_hold_find_customer',
  `select 1 from stop_plan p where p.customer = $2 and p.facility = $1
    union all
   select 1 from stop_plan p where p.facility = $1 and ${hadAsked}
    limit 1`,
);
