import { cellSuffix } from './cell.ts';

// Channels. A listener adds the cell itself (listen.ts); statements add it by SQL, because the role knows the cell.

/** Changed scopes; the payload is scopes split by spaces, or `*`. */
export const routesChannel = 'tailgate_routes';
/** Drivers whose list of routes has changed, split by spaces. */
export const assignmentsChannel = 'tailgate_assignments';
/** Employees whose sessions have ended, split by spaces. */
export const sessionsChannel = 'tailgate_sessions';
/** A new epoch, without content; lost where no server listens. */
export const epochChannel = 'tailgate_epoch';
/** The office asks each worker to examine the host now, without content; lost where no worker listens. */
export const examinationsChannel = 'tailgate_examinations';

const toChannel = (name: string, payload: string) => `pg_notify('${name}' || ${cellSuffix}, ${payload})`;

/** Notifies the nodes of this cell. $1 payload. */
export const notifyRoutes = `select ${toChannel(routesChannel, '$1')}`;
export const notifyAssignments = `select ${toChannel(assignmentsChannel, '$1')}`;
export const notifySessions = `select ${toChannel(sessionsChannel, '$1')}`;
export const notifyEpoch = `select ${toChannel(epochChannel, "''")}`;
export const notifyExaminations = `select ${toChannel(examinationsChannel, "''")}`;
/** One notification for each entry. $1 entries. */
export const notifyEachRoute = `select ${toChannel(routesChannel, 'entry')} from unnest($1::text[]) as entry`;
export const notifyEachAssignment = `select ${toChannel(assignmentsChannel, 'entry')} from unnest($1::text[]) as entry`;
