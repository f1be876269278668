import * as z from '#schema';
import type { DeepReadonly } from './deep-readonly.ts';
import { pageCursor, pageLimit, queryNumber } from './page.ts';
import { instant, keyText, text } from './values.ts';

// Load condition reports: interface.md part 2 and 4.6, contract §6. The interface uses camel case here.

/** No device clock is wrong by more than these years, and outside them time arithmetic is inexact. */
const captureTime = z.pipe(
  instant,
  z.string().check(z.refine((value) => /^(19|20|21)\d\d-/.test(value), 'must lie in the years 1900 to 2199')),
);

const filled = <Text extends z.ZodMiniType<string>>(schema: Text): Text =>
  schema.check(z.refine((value) => value.trim() !== '', 'must not be blank'));

/** An absent or null text becomes the empty text. */
const optionalText = (schema: z.ZodMiniType<string, string>) =>
  z._default(
    z.pipe(
      z.nullable(schema),
      z.transform((value: string | null) => value ?? ''),
    ),
    '',
  );

/** A stop's number as text. Some apps send a number, which is equivalent (contract §1). */
const stopIdText = filled(
  z.pipe(
    z.union([keyText(10), z.int().check(z.gte(0), z.lte(9_999_999_999))]),
    z.pipe(z.transform(String), z.string()),
  ),
);

const rating = z.int().check(z.gte(1), z.lte(5));

export const reportSection = z.object({
  key: filled(keyText(30)),
  rating,
  reason: optionalText(text(100)),
  comment: optionalText(text(2000)),
  /** One id for one or more photos, such as an asset's: up to 16 characters. */
  photos_id: optionalText(keyText(16)),
});

/** The interface shows five keys. The limit leaves room for more and bounds the size of a page of reports. */
const maxSections = 100;

/** The body of POST report/load-condition; GET lists the same fields. */
export const loadConditionReport = z.object({
  reportId: filled(keyText(64)),
  loadId: filled(keyText(20)),
  stopId: stopIdText,
  driverId: filled(keyText(10)),
  capturedAt: captureTime,
  sections: z.array(reportSection).check(z.maxLength(maxSections)),
});
export type LoadConditionReport = z.infer<typeof loadConditionReport>;
export type LoadConditionReportInput = DeepReadonly<z.input<typeof loadConditionReport>>;

/** `report.load_condition` version 1. */
export const loadReportArgs = z.object({ report: loadConditionReport });
export type LoadReportArgs = z.infer<typeof loadReportArgs>;

/** `data` of POST report/load-condition. For a duplicate, `receivedAt` is the time of the first receipt. */
export const loadReportReceipt = z.strictObject({
  reportId: z.string(),
  receivedAt: z.iso.datetime(),
  duplicate: z.boolean(),
});

/** A report as GET lists it, with every field of POST. */
export const listedReport = z.strictObject({
  reportId: z.string(),
  loadId: z.string(),
  stopId: z.string(),
  driverId: z.string(),
  capturedAt: z.iso.datetime(),
  sections: z.array(
    z.strictObject({
      key: z.string(),
      rating: z.int(),
      reason: z.string(),
      comment: z.string(),
      photos_id: z.string(),
    }),
  ),
});

/** A filter. `?loadId=`, a blank form field, filters nothing. */
const filter = (max: number) =>
  z.pipe(
    z.optional(keyText(max)),
    z.transform((value: string | undefined) => value || undefined),
  );

/** Clients send `9999-12-31` for "no end"; PostgreSQL has no year 0. */
const boundaryInstant = z.pipe(
  instant,
  z.string().check(z.refine((value) => !value.startsWith('0000-'), 'must lie in the years 0001 to 9999')),
);
const isDay = /^\d{4}-\d\d-\d\d$/;

/**
 * An instant or a day. `timeOfDay` makes a day its beginning or its end in UTC. An unencoded plus sign arrives as a
 * blank.
 */
const boundary = (timeOfDay: string) =>
  z.pipe(
    z.optional(z.string()),
    z.pipe(
      z.transform((value: string | undefined) => {
        if (!value) return undefined;
        return isDay.test(value) ? value + timeOfDay : value.replace(/ (?=\d\d:?\d\d$)/, '+');
      }),
      z.optional(boundaryInstant),
    ),
  );
/** Query of GET report/load-condition. A report must match all filters; `key` and the ratings must match one section. */
export const loadReportQuery = z.object({
  reportId: filter(64),
  loadId: filter(20),
  stopId: filter(10),
  driverId: filter(10),
  capturedFrom: boundary('T00:00:00.000Z'),
  capturedTo: boundary('T23:59:59.999Z'),
  key: filter(30),
  minRating: queryNumber(1, 5),
  maxRating: queryNumber(1, 5),
  /** Default: the latest revision of each report. */
  revisions: z.optional(z.enum(['latest', 'all'])),
  limit: pageLimit,
  cursor: pageCursor,
});
export type LoadReportQuery = z.infer<typeof loadReportQuery>;
