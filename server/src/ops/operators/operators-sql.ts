import { statement } from '../../db/statement.ts';

/** The facilities of the host. */
export const listFacilities = statement('ops_list_facilities', `select id, name, zone from facility order by id`);
