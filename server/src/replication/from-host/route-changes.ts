import type { StopPlan } from '@tailgate/sync-protocol';
import { planLines } from '../../stops/plan-lines.ts';
import { readPlan } from '../../stops/stored-documents.ts';

// Computes the differences between a route on the host and in the mirror. Pure: `mirror-route.ts` writes them.

/** A route on the host, in the mirror's terms. */
export type RouteImage = {
  name: string;
  trailer: string;
  emailFlag: boolean;
  /** YYYYMMDD; blank while the route is being planned. */
  dispatchedOn: string;
  drivers: readonly { employee: string; type: string; seq: number }[];
  plans: readonly StopPlan[];
  /** From the service-owned columns; used only where the route begins. */
  closing: {
    status: 'O' | 'C';
    arrived: boolean;
    closedAt: Date | null;
    closedBy: 'D' | 'A' | 'F' | null;
    /** Columns with impossible values, and the values of all of them. */
    impossible: readonly string[];
    columns: object;
  };
};

/** The mirror's rows, as far as they are compared. */
export type MirrorRoute = {
  epoch: number;
  version: number;
  header_version: number;
  plan_version: number;
  name: string;
  trailer: string;
  email_flag: boolean;
  dispatched_on: string;
  published_at: Date | null;
  withdrawn_at: Date | null;
};
export type MirrorDriver = { employee: string; type: string; seq: number; removed: boolean };
export type MirrorPlan = { stop_id: number; doc: string; removed: boolean };

export function headerDiffers(before: MirrorRoute, image: RouteImage): boolean {
  return (
    before.name !== image.name ||
    before.trailer !== image.trailer ||
    before.email_flag !== image.emailFlag ||
    before.dispatched_on !== image.dispatchedOn
  );
}

export type DriverChanges = { saved: RouteImage['drivers']; removed: readonly string[] };

/** Drivers who are new on the route or in another place, and drivers who were taken off. */
export function driverChanges(before: readonly MirrorDriver[], { drivers }: RouteImage): DriverChanges {
  const known = new Map(before.map((driver) => [driver.employee, driver]));
  const named = new Set(drivers.map(({ employee }) => employee));
  return {
    saved: drivers.filter(({ employee, type, seq }) => {
      const driver = known.get(employee);
      return driver === undefined || driver.removed || driver.type !== type || driver.seq !== seq;
    }),
    removed: before.filter(({ employee, removed }) => !removed && !named.has(employee)).map(({ employee }) => employee),
  };
}

export type PlanChanges = { saved: readonly ChangedPlan[]; removed: readonly number[] };

type ChangedPlan = {
  plan: StopPlan;
  text: string;
  /** Phones have no result of this stop, or receive it again. */
  isNew: boolean;
  /** The stop was on this route before. */
  isKnown: boolean;
  /** The former customer, where the stop now has another one. */
  formerCustomer: string | undefined;
  /** The lines to deliver have changed. */
  otherLines: boolean;
};

/** The plans to write, and the stops that the host no longer has. @param all every plan: the route begins */
export function planChanges(before: readonly MirrorPlan[], { plans }: RouteImage, all: boolean): PlanChanges {
  const known = new Map(before.map((plan) => [plan.stop_id, plan]));
  const planned = new Set(plans.map(({ id }) => id));
  return {
    saved: plans.flatMap((plan) => {
      const text = JSON.stringify(plan);
      const old = known.get(plan.id);
      const isNew = all || old === undefined || old.removed;
      return isNew || old.doc !== text
        ? [{ plan, text, isNew, isKnown: old !== undefined, ...differences(old, plan) }]
        : [];
    }),
    removed: before.filter(({ stop_id, removed }) => !removed && !planned.has(stop_id)).map(({ stop_id }) => stop_id),
  };
}

function differences(old: MirrorPlan | undefined, plan: StopPlan): Pick<ChangedPlan, 'formerCustomer' | 'otherLines'> {
  if (old === undefined) return { formerCustomer: undefined, otherLines: false };
  const before = readPlan(old.doc);
  return {
    formerCustomer: before.customer.id === plan.customer.id ? undefined : before.customer.id,
    otherLines: planLines(before) !== planLines(plan),
  };
}
