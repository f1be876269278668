// The demo day of facility D01: its routes and what happens on them. Times are minutes after the start of the demo, so
// the past is negative. `player.ts` plays it.

/** A route of the script: who drives it when, and past which shops. */
export interface RouteScript {
  readonly id: string;
  readonly name: string;
  readonly drivers: readonly [string, ...string[]];
  /** The shops of `depot.json`, in driving order: the stops 1, 2, 3 … and the warehouse. */
  readonly shops: readonly string[];
  /** The planned arrival at the first stop, and the minutes from stop to stop. */
  readonly first: number;
  readonly every: number;
}

/** A line of the plan, by its place from 0, that was not delivered as planned. */
export interface LineScript {
  readonly line: number;
  readonly delivered?: number;
  readonly exception?: { readonly code: number; readonly quantity: number; readonly comment: string };
}

interface Occurrence {
  readonly route: string;
  /** The time of the record on the phone. */
  readonly at: number;
  /** The time of its arrival at the server; the same as `at` without it. */
  readonly sent?: number;
  /** The driver who records it; the first one of the route without it. */
  readonly driver?: string;
}

export interface Delivery extends Occurrence {
  readonly kind: 'delivers';
  readonly stop: number;
  /** The name of the person who signs. */
  readonly signed: string;
  /** A photo of this many pallets; `lost` names a photo that never leaves the phone. */
  readonly photo?: number | 'lost';
  readonly comment?: string;
  readonly lines?: readonly LineScript[];
  /** Items that the plan lacks. */
  readonly extra?: { readonly id: string; readonly quantity: number };
}

/** The driver changes the comment of a delivered stop. */
export interface Correction extends Occurrence {
  readonly kind: 'corrects';
  readonly stop: number;
  readonly comment: string;
  readonly signed?: string;
}

export interface Skip extends Occurrence {
  readonly kind: 'skips' | 'refuses';
  readonly stop: number;
  readonly code: string;
  readonly comment: string;
}

/** The truck is back at the warehouse, and its driver closes the route. */
export interface Return extends Occurrence {
  readonly kind: 'returns';
}

/** An app of another version sends a change that this server does not know. */
export interface Unknown extends Occurrence {
  readonly kind: 'sends';
  readonly name: string;
  readonly stop: number;
}

export type Event = Delivery | Correction | Skip | Return | Unknown;

/** The back office puts one more shop on a route, as its stop `stop`. */
export interface Addition {
  readonly route: string;
  readonly stop: number;
  readonly shop: string;
  readonly at: number;
}

/** A clerk corrects a value of a stop on the host. */
export interface ClerkEdit {
  readonly route: string;
  readonly stop: number;
  readonly by: string;
  readonly column: 'RUSNAM' | 'RUCMT';
  readonly value: string;
}

/** The last report of a phone. */
export interface PhoneReport {
  readonly employee: string;
  readonly heard: number;
  /** Changes that are still on the phone, and the time of the oldest. */
  readonly pending?: number;
  readonly oldest?: number;
  /** Files that are still on the phone, with the time of the oldest. */
  readonly files?: { readonly count: number; readonly bytes: number; readonly oldest: number };
}

/** A part of the day. The next one begins when the host has everything of this one. */
export interface Chapter {
  readonly title: string;
  /** The back office dispatches these routes. */
  readonly dispatched: number;
  readonly routes: readonly RouteScript[];
  readonly events: readonly Event[];
  readonly additions?: readonly Addition[];
  /** At the end of the chapter. */
  readonly edits?: readonly ClerkEdit[];
}

const day = 24 * 60;

const before: Chapter = {
  title: 'two days ago: a route that its driver never closed',
  dispatched: -2 * day - 480,
  routes: [
    {
      id: 'D090',
      name: 'Harbor',
      drivers: ['2007'],
      shops: ['D2006', 'D2007', 'D2008'],
      first: -2 * day - 380,
      every: 45,
    },
  ],
  events: [
    { kind: 'delivers', route: 'D090', stop: 1, at: -2 * day - 372, signed: 'Ivo Petrov', photo: 2 },
    { kind: 'delivers', route: 'D090', stop: 2, at: -2 * day - 331, signed: 'Dana Cole' },
    { kind: 'delivers', route: 'D090', stop: 3, at: -2 * day - 282, signed: 'Minh Tran', photo: 1 },
  ],
};

const yesterday: Chapter = {
  title: 'yesterday: two closed routes, one of them without a photo',
  dispatched: -day - 480,
  routes: [
    {
      id: 'D091',
      name: 'Old Town',
      drivers: ['2001'],
      shops: ['D2001', 'D2002', 'D2003', 'D2004'],
      first: -day - 400,
      every: 40,
    },
    {
      id: 'D092',
      name: 'Riverside',
      drivers: ['2003'],
      shops: ['D2010', 'D2011', 'D2012'],
      first: -day - 390,
      every: 50,
    },
  ],
  events: [
    { kind: 'delivers', route: 'D091', stop: 1, at: -day - 398, signed: 'Rosa Medina', photo: 3 },
    { kind: 'delivers', route: 'D092', stop: 1, at: -day - 385, signed: 'Jonas Keller', photo: 1 },
    {
      kind: 'delivers',
      route: 'D091',
      stop: 2,
      at: -day - 355,
      signed: 'Al Romano',
      photo: 2,
      comment: 'Left at the rear dock, as agreed by phone',
      lines: [{ line: 0, delivered: 1, exception: { code: 20, quantity: 1, comment: 'Corner crushed, leaks' } }],
    },
    { kind: 'delivers', route: 'D092', stop: 2, at: -day - 336, signed: 'Priti Shah', photo: 'lost' },
    { kind: 'delivers', route: 'D091', stop: 3, at: -day - 312, signed: 'Carl Wu', photo: 2 },
    { kind: 'delivers', route: 'D092', stop: 3, at: -day - 290, signed: 'Tess Boyd' },
    { kind: 'delivers', route: 'D091', stop: 4, at: -day - 276, signed: 'Nora Quinn', photo: 1 },
    { kind: 'returns', route: 'D092', at: -day - 240 },
    { kind: 'returns', route: 'D091', at: -day - 230 },
  ],
};

const today: Chapter = {
  title: 'today until the hold',
  dispatched: -400,
  routes: [
    {
      id: 'D101',
      name: 'Old Town',
      drivers: ['2001'],
      shops: ['D2001', 'D2002', 'D2003', 'D2004', 'D2005'],
      first: -260,
      every: 55,
    },
    {
      id: 'D102',
      name: 'Lakefront',
      drivers: ['2002', '2006'],
      shops: ['D2006', 'D2007', 'D2008', 'D2009'],
      first: -280,
      every: 60,
    },
    {
      id: 'D103',
      name: 'Riverside',
      drivers: ['2003'],
      shops: ['D2010', 'D2011', 'D2012', 'D2013', 'D2014'],
      first: -270,
      every: 50,
    },
    {
      id: 'D104',
      name: 'Airport',
      drivers: ['2004'],
      shops: ['D2016', 'D2017', 'D2018'],
      first: -300,
      every: 50,
    },
    {
      id: 'D105',
      name: 'University',
      drivers: ['2005'],
      shops: ['D2019', 'D2020', 'D2015'],
      first: -330,
      every: 40,
    },
    {
      id: 'D106',
      name: 'Evening',
      drivers: ['2008'],
      shops: ['D2013', 'D2014', 'D2005'],
      first: 45,
      every: 30,
    },
  ],
  events: [
    { kind: 'delivers', route: 'D105', stop: 1, at: -326, signed: 'Ella Marsh', photo: 2 },
    // A change of yesterday that left the phone this morning, after the close of its route.
    { kind: 'corrects', route: 'D092', stop: 3, at: -day - 250, sent: -320, comment: 'Two cases went to the cellar' },
    { kind: 'delivers', route: 'D104', stop: 1, at: -298, signed: 'Gus Novak', photo: 1 },
    // Stop 4 is not on the route yet: quarantine keeps the change until the back office adds the stop.
    { kind: 'delivers', route: 'D104', stop: 4, at: -294, signed: 'Gus Novak', comment: 'Extra drop, asked by phone' },
    { kind: 'delivers', route: 'D105', stop: 2, at: -288, signed: 'Sam Ito' },
    { kind: 'sends', route: 'D104', stop: 1, at: -285, name: 'stop.unload' },
    { kind: 'delivers', route: 'D102', stop: 1, at: -277, signed: 'Ivo Petrov', photo: 2 },
    { kind: 'delivers', route: 'D103', stop: 1, at: -266, signed: 'Jonas Keler', photo: 1 },
    { kind: 'delivers', route: 'D101', stop: 1, at: -258, signed: 'Rosa Medina', photo: 2 },
    {
      kind: 'delivers',
      route: 'D105',
      stop: 3,
      at: -247,
      signed: 'Lucia Conti',
      photo: 1,
      lines: [{ line: 1, delivered: 0, exception: { code: 10, quantity: 2, comment: 'Not on the truck' } }],
    },
    { kind: 'skips', route: 'D103', stop: 2, at: -218, code: '01', comment: 'Shutters down, no answer at the bell' },
    { kind: 'returns', route: 'D105', at: -212 },
    // Driver and helper record the same stop; the helper's phone was offline, and the later edit wins.
    { kind: 'delivers', route: 'D102', stop: 2, at: -214, signed: 'Dana Cole', photo: 1, comment: 'All inside' },
    {
      kind: 'corrects',
      route: 'D102',
      stop: 2,
      driver: '2006',
      at: -219,
      sent: -205,
      comment: 'Two crates at the side door',
    },
    // A slip of the thumb: the host of the demo refuses counts above 999.
    {
      kind: 'delivers',
      route: 'D101',
      stop: 2,
      at: -203,
      signed: 'Al Romano',
      photo: 1,
      lines: [{ line: 0, delivered: 1200 }],
    },
    {
      kind: 'delivers',
      route: 'D103',
      stop: 3,
      at: -166,
      signed: 'Tess Boyd',
      extra: { id: '130046', quantity: 1 },
      comment: 'One tub more than on the list, they kept it',
    },
    {
      kind: 'delivers',
      route: 'D102',
      stop: 3,
      at: -158,
      signed: 'Minh Tran',
      lines: [{ line: 0, delivered: 1100 }],
    },
    { kind: 'delivers', route: 'D101', stop: 3, at: -149, signed: 'Carl Wu', photo: 2 },
    { kind: 'refuses', route: 'D103', stop: 4, at: -112, code: '11', comment: 'Ordered next week, sent back' },
  ],
  additions: [{ route: 'D104', stop: 4, shop: 'D2017', at: -180 }],
  edits: [
    { route: 'D103', stop: 1, by: 'MARYB', column: 'RUSNAM', value: 'Jonas Keller' },
    { route: 'D101', stop: 1, by: 'MARYB', column: 'RUCMT', value: 'Store called: all received' },
  ],
};

/** Replication is on hold since then, and its author has forgotten it. */
export const hold = {
  at: -90,
  by: 'LENAK',
  reason: 'Inventory count on the host, back in half an hour',
} as const;

const lately: Chapter = {
  title: 'today behind the hold',
  dispatched: hold.at,
  routes: [],
  events: [
    {
      kind: 'delivers',
      route: 'D101',
      stop: 4,
      at: -84,
      signed: 'Nora Quinn',
      photo: 1,
      lines: [{ line: 1, delivered: 1, exception: { code: 40, quantity: 1, comment: 'Past its date' } }],
    },
    {
      kind: 'delivers',
      route: 'D102',
      stop: 4,
      at: -66,
      signed: 'Olga Reyes',
      photo: 2,
      lines: [{ line: 0, delivered: 1, exception: { code: 21, quantity: 1, comment: 'Box torn open' } }],
    },
    { kind: 'delivers', route: 'D103', stop: 5, at: -52, signed: 'Nikos Pappas', photo: 1 },
    { kind: 'returns', route: 'D102', at: -21 },
  ],
};

export const chapters: readonly Chapter[] = [before, yesterday, today];
/** Played while the hold is in force. */
export const behindTheHold: Chapter = lately;

/** The phones at the start of the demo. The phone of 2004 is silent with work on it; 2003 still has yesterday's photo. */
export const reports: readonly PhoneReport[] = [
  { employee: '2001', heard: -2 },
  { employee: '2002', heard: -20 },
  { employee: '2003', heard: -1, files: { count: 1, bytes: 3_100, oldest: -day - 336 } },
  {
    employee: '2004',
    heard: -283,
    pending: 5,
    oldest: -282,
    files: { count: 3, bytes: 1_860_000, oldest: -281 },
  },
  { employee: '2005', heard: -210 },
  { employee: '2006', heard: -34 },
  { employee: '2007', heard: -2 * day - 240 },
];
