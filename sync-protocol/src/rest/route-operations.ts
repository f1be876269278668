import * as z from '#schema';
import { skipRefuseBody, stopSyncBody } from './stop-bodies.ts';
import { nothing, operation } from './operations.ts';
import { routeMeta, routePayload, routePayloadV20, skipRefuseAnswer, stopSyncAnswer } from './payloads.ts';

const both = ['v20', 'current'] as const;

/** Routes and their stops: interface.md 4.3 and 4.4. */
export const routeOperations = {
  readRoute: operation({
    method: 'GET',
    path: '/route',
    sets: ['current'],
    access: 'driver',
    summary: 'The pending route of the driver with stops, products, collections and recorded exceptions.',
    message: 'Pending route found for driver',
    body: nothing,
    query: nothing,
    data: routePayload,
    meta: routeMeta,
    requestHeaders: ['if-none-match'],
    errors: ['NO_PENDING_ROUTE'],
  }),
  readRouteV20: operation({
    method: 'GET',
    path: '/route',
    sets: ['v20'],
    access: 'driver',
    summary: 'The pending route of the driver in the v20 shape.',
    message: 'Pending route found for driver',
    body: nothing,
    query: nothing,
    data: routePayloadV20,
    meta: routeMeta,
    requestHeaders: ['if-none-match'],
    errors: ['NO_PENDING_ROUTE'],
  }),
  listRouteDrivers: operation({
    method: 'GET',
    path: '/route/drivers',
    sets: both,
    access: 'open',
    summary: 'Ids of the employees on routes that are not closed, ascending.',
    message: 'Drivers of active routes',
    body: nothing,
    query: nothing,
    data: z.array(z.string()),
    errors: [],
  }),
  syncStops: operation({
    method: 'PUT',
    path: '/route/stop',
    sets: both,
    access: 'driver',
    summary: 'Saves stop and product updates of one or more stops of a route, each stop atomically.',
    message: 'Stops saved',
    body: stopSyncBody,
    query: nothing,
    data: stopSyncAnswer,
    requestHeaders: ['idempotency-key'],
    errors: ['NOT_ASSIGNED', 'ROUTE_NOT_FOUND', 'STOP_NOT_FOUND', 'AMBIGUOUS_ROUTE', 'IDEMPOTENCY_KEY_REUSED'],
  }),
  skipStop: operation({
    method: 'PUT',
    path: '/route/stop/skip-refuse',
    sets: both,
    access: 'driver',
    summary: 'Marks a stop as skipped or refused.',
    message: 'Stop saved',
    body: skipRefuseBody,
    query: nothing,
    data: skipRefuseAnswer,
    requestHeaders: ['idempotency-key'],
    errors: ['NOT_ASSIGNED', 'ROUTE_NOT_FOUND', 'STOP_NOT_FOUND', 'AMBIGUOUS_ROUTE', 'IDEMPOTENCY_KEY_REUSED'],
  }),
} as const;
