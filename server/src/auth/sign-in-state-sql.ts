import { statement } from '../db/statement.ts';

/**
 * The last sign-in of a driver of an open route who has a valid session by the rules of `sessionState`; `d` is
 * `route_driver`, `moment` the parameters.
 */
const signedInAt = `select max(s.created_at) as at
             from session s
            where s.employee = d.employee and s.revoked_at is null and s.created_at > moment.oldest
              and (s.expires_at > moment.now or d.assigned_at <= s.expires_at)`;

const openRoutes = `route_driver d
             join route r on r.facility = d.facility and r.id = d.route_id and r.week_end = d.week_end
                         and r.status = 'O' and r.published_at is not null and r.withdrawn_at is null`;

const differs = `(m.signed_in, m.signed_in_at) is distinct from (true, excluded.signed_in_at)`;

/** Removes the marks of drivers without a session. Rows are locked in the order of their key. $1 employees. */
export const takeBackSignIns = statement(
  'auth_take_back_sign_ins',
  `update driver_sign_in m set signed_in = false, version = m.version + 1
     from (
       select facility, route_id, week_end, employee from driver_sign_in k
        where employee = any ($1::text[]) and signed_in
          and not exists (select from session s where s.employee = k.employee and s.revoked_at is null)
        order by facility, route_id, week_end, employee for update
     ) k
    where (m.facility, m.route_id, m.week_end, m.employee) = (k.facility, k.route_id, k.week_end, k.employee)`,
);

/** Marks open routes of drivers with a session. $1 employees, $2 now, $3 sessions opened before this have ended. */
export const noteSignIns = statement(
  'auth_note_sign_ins',
  `insert into driver_sign_in as m (facility, route_id, week_end, employee, signed_in, signed_in_at)
   select d.facility, d.route_id, d.week_end, d.employee, true, signed.at
     from (select $2::timestamptz as now, $3::timestamptz as oldest) moment
    cross join ${openRoutes}
    cross join lateral (${signedInAt}) signed
    where d.employee = any ($1::text[]) and d.removed_at is null and signed.at is not null
    order by d.facility, d.route_id, d.week_end, d.employee
       on conflict (facility, route_id, week_end, employee)
       do update set signed_in = true, signed_in_at = excluded.signed_in_at, version = m.version + 1
    where ${differs}`,
);

/** $1 facility, $2 route, $3 week_end, $4 now, $5 sessions opened before this have ended. */
const marksOfRoute = `insert into driver_sign_in as m (facility, route_id, week_end, employee, signed_in, signed_in_at)
   select d.facility, d.route_id, d.week_end, d.employee, true, signed.at
     from (select $4::timestamptz as now, $5::timestamptz as oldest) moment
    cross join ${openRoutes}
    cross join lateral (${signedInAt}) signed
    where d.facility = $1 and d.route_id = $2 and d.week_end = $3 and d.removed_at is null and signed.at is not null
    order by d.employee
       on conflict (facility, route_id, week_end, employee)
       do update set signed_in = true, signed_in_at = excluded.signed_in_at, version = m.version + 1`;

/** The same for the drivers of a route that was published or got a driver. Parameters as `marksOfRoute`. */
export const noteSignInsOfRoute = statement('auth_note_sign_ins_of_route', `${marksOfRoute} where ${differs}`);

/** The same after a reload: the host's rows are blank and are written again. Parameters as `marksOfRoute`. */
export const noteSignInsOfReload = statement('auth_note_sign_ins_of_reload', marksOfRoute);
