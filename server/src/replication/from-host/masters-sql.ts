import type { ReferenceCode } from '@tailgate/sync-protocol';
import { bool, columns, int4, text } from '../../db/columns.ts';
import { statement } from '../../db/statement.ts';

/** Statements by which the import updates facilities, employees and codes. */

export interface SavedFacility {
  readonly id: string;
  readonly name: string;
  /** A zone that exists; blank without one. */
  readonly zone: string;
  /** The zone as in FACMSTP. */
  readonly hostZone: string;
}

const facilities = columns<SavedFacility>({
  id: text(({ id }) => id),
  name: text(({ name }) => name),
  zone: text(({ zone }) => zone),
  host_zone: text(({ hostZone }) => hostZone),
});

export const saveFacilities = facilities.statement(
  'import_save_facilities',
  `insert into facility (${facilities.names}) select * from ${facilities.unnest}
   on conflict (id) do update set name = excluded.name, zone = excluded.zone, host_zone = excluded.host_zone
    where (facility.name, facility.zone, facility.host_zone)
          is distinct from (excluded.name, excluded.zone, excluded.host_zone)`,
);

export interface SavedEmployee {
  readonly id: string;
  readonly name: string;
  readonly phone: string;
  readonly active: boolean;
  readonly facility: string;
  readonly job: string;
}

const rights = {
  id: text(({ id }: SavedEmployee) => id),
  active: bool(({ active }: SavedEmployee) => active),
};
const users = columns<SavedEmployee>(rights);
const employees = columns<SavedEmployee>({
  ...rights,
  name: text(({ name }) => name),
  phone: text(({ phone }) => phone),
  facility: text(({ facility }) => facility),
  job: text(({ job }) => job),
});

/** Returns the changed employees, and whether their names have changed: route headers contain them. */
export const saveEmployees = employees.statement(
  'import_save_employees',
  `with given as (
     select * from ${employees.rows}
   ), renamed as (
     select g.id from given g left join employee e using (id) where e.name is distinct from g.name
   ), saved as (
     insert into employee (${employees.names}) select * from given
     on conflict (id) do update set name = excluded.name, phone = excluded.phone, active = excluded.active,
                                    facility = excluded.facility, job = excluded.job
      where (employee.name, employee.phone, employee.active, employee.facility, employee.job)
            is distinct from (excluded.name, excluded.phone, excluded.active, excluded.facility, excluded.job)
     returning id
   )
   select id, renamed.id is not null as is_renamed from saved left join renamed using (id)`,
);

/** Deactivates employees that the master no longer contains. They cannot sign in; their records keep their author. */
export const deactivateEmployees = statement(
  'import_retire_employees',
  `update employee set active = false where active and id <> all($1::text[])`,
);

/** Marks users for replication whose right to sign in changes. Runs before the masters change. */
export const markChangedUsers = users.statement(
  'import_touch_users',
  `update account a set version = a.version + 1
     from employee e left join ${users.rows} on k.id = e.id
    where a.employee = e.id and e.active <> coalesce(k.active, false)`,
);

type SavedCode = ReferenceCode & { readonly active: boolean };

const codeNames = {
  type: text(({ type }: SavedCode) => type),
  code: text(({ code }: SavedCode) => code),
};
const remainingCodes = columns<SavedCode>(codeNames);
const codes = columns<SavedCode>({
  ...codeNames,
  description: text(({ description }) => description),
  category: text(({ category }) => category),
  driver_visible: bool((code) => code.driver_visible),
  stop_type: text((code) => code.stop_type),
  requires_photo: bool((code) => code.requires_photo),
  requires_comment: bool((code) => code.requires_comment),
  sort: int4(({ sort }) => sort),
  active: bool(({ active }) => active),
});

export const saveCodes = codes.statement(
  'import_save_codes',
  `insert into code (${codes.names}) select * from ${codes.rows}
   on conflict (type, code) do update
      set description = excluded.description, category = excluded.category, driver_visible = excluded.driver_visible,
          stop_type = excluded.stop_type, requires_photo = excluded.requires_photo, requires_comment = excluded.requires_comment,
          sort = excluded.sort, active = excluded.active
    where (code.description, code.category, code.driver_visible, code.stop_type, code.requires_photo, code.requires_comment,
           code.sort, code.active)
          is distinct from (excluded.description, excluded.category, excluded.driver_visible, excluded.stop_type,
           excluded.requires_photo, excluded.requires_comment, excluded.sort, excluded.active)`,
);

/** Deletes every code that is not in the list. */
export const deleteOtherCodes = remainingCodes.statement(
  'import_drop_codes',
  `delete from code c where not exists (
     select from ${remainingCodes.rows} where k.type = c.type and k.code = c.code
   )`,
);

/** Drivers of this cell's routes. */
export const listDriversOfRoutes = statement(
  'import_list_drivers_of_routes',
  'select distinct employee from route_driver where removed_at is null',
);

export const incrementScope = statement(
  'import_raise_scope',
  `insert into scope_version (scope, version) values ($1, 1) on conflict (scope) do update set version = scope_version.version + 1`,
);
