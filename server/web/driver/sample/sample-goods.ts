import type { PlanCollection, PlanProduct, ReferenceCode } from '@tailgate/sync-protocol';

/** An item of the sample route: number, name, section, container, place in the trailer, and what the driver does with it. */
type Item = readonly [id: string, name: string, section: string, container: string, area: string, action?: string];

const items = {
  milk: ['100234', 'Whole Milk 1 gal', 'TOTES', 'PLASTIC TOTE', 'COOLER'],
  eggs: ['100241', 'Large Eggs 15 dz', 'CASES', 'CASE', 'COOLER'],
  cheese: ['100377', 'Cheddar Block 5 lb', 'CASES', 'CASE', 'COOLER'],
  cigarettes: ['110020', 'Cigarettes Filter Kg', 'CIG/TOB', 'PAPER TOTE', 'DRY', 'scan'],
  snuff: ['110035', 'Snuff Wintergreen', 'CIG/TOB', 'PAPER TOTE', 'DRY', 'scan'],
  ketchup: ['120101', 'Tomato Ketchup 6 ct', 'CASES', 'CASE', 'DRY'],
  peppers: ['120118', 'Jalapeño Slices 12 ct', 'CASES', 'CASE', 'DRY'],
  coffee: ['120156', 'Ground Coffee 24 ct', 'CASES', 'CASE', 'DRY', 'count'],
  chips: ['120179', 'Potato Chips 40 ct', 'CASES', 'CASE', 'DRY'],
  water: ['120203', 'Spring Water 24 ct', 'PALLETS', 'BLUE PALLET', 'DRY', 'deliver'],
  cola: ['120217', 'Cola 24 ct', 'CASES', 'CASE', 'DRY'],
  towels: ['120240', 'Paper Towels 12 ct', 'CASES', 'BALE', 'DRY'],
  cups: ['120271', 'Hot Cups 16 oz', 'TOTES', 'PLASTIC TOTE', 'DRY'],
  patties: ['130015', 'Beef Patties 10 lb', 'CASES', 'CASE', 'FREEZER'],
  fries: ['130039', 'French Fries 30 lb', 'CASES', 'CASE', 'FREEZER'],
  iceCream: ['130046', 'Vanilla Ice Cream', 'CASES', 'CASE', 'FREEZER'],
} as const satisfies Readonly<Record<string, Item>>;
export type ItemName = keyof typeof items;

const flags = { required: false, count_in_totes: false, add_photos: false };

/** The barcode on the case of an item. */
export const barcodeOf = (name: ItemName): string => `100${items[name][0]}0${items[name][0].slice(-3)}`;

/** A line of a stop. */
export function goods(name: ItemName, quantity: number, invoice: string): PlanProduct {
  const [id, title, section, container_type, trailer_area, action_type = '']: Item = items[name];
  const codes = { box_upc: barcodeOf(name), item_upc: `000${id}${id.slice(-3)}` };
  const place = { section, container_type, trailer_area };
  return { id, name: title, description: '', invoice, quantity, ...codes, ...place, ...flags, action_type };
}

const collectables = {
  totes: {
    id: '900010',
    name: 'Empty Plastic Totes',
    container_type: 'PLASTIC TOTE',
    required: true,
    count_in_totes: true,
  },
  pallets: { id: '900021', name: 'Empty Pallets', container_type: 'BLUE PALLET', add_photos: true },
  damaged: { id: '900032', name: 'Damaged Goods', container_type: 'CASE', count_in_totes: true, add_photos: true },
} as const;
export type CollectableName = keyof typeof collectables;

/** Something that goes back from a stop. */
export const collectable = (name: CollectableName, quantity: number, invoice: string): PlanCollection => ({
  ...flags,
  ...{ description: '', section: 'RETURNS', invoice, quantity },
  ...collectables[name],
});

type Flag = 'photo' | 'comment';
type Entry = readonly [code: string, description: string, of: string, ...asks: readonly Flag[]];

const creditReasons: readonly Entry[] = [
  ['10', 'Short on truck', 'SHORTAGE'],
  ['11', 'Short in tote', 'SHORTAGE'],
  ['20', 'Damaged in transit', 'DAMAGE', 'photo'],
  ['21', 'Damaged package', 'DAMAGE', 'photo'],
  ['22', 'Spoiled or melted', 'DAMAGE', 'photo'],
  ['30', 'Refused by customer', 'REFUSAL'],
  ['31', 'Ordered in error', 'REFUSAL'],
  ['40', 'Out of date', 'QUALITY', 'photo'],
  ['50', 'Wrong item', 'MISPICK'],
  ['85', 'Overage, left with customer', 'OVERAGE'],
  ['86', 'Overage, returned', 'OVERAGE'],
];
const skips: readonly Entry[] = [
  ['01', 'Store closed', 'S', 'photo'],
  ['02', 'No access to the dock', 'S'],
  ['03', 'Out of hours', 'S'],
  ['04', 'Road or weather', 'S', 'comment'],
];
const refusals: readonly Entry[] = [
  ['10', 'Not ordered', 'R'],
  ['11', 'Wrong goods', 'R'],
  ['12', 'Damaged on arrival', 'R', 'photo'],
  ['13', 'Too late', 'R'],
];

/** The code lists that the office keeps. */
export const sampleCodes: readonly ReferenceCode[] = [
  ...creditReasons.map(([code, description, category, ...asks], i) =>
    codeOf({ type: 'credit-reason', code, description, category, sort: i }, asks),
  ),
  ...skips.map(([code, description, , ...asks], i) =>
    codeOf({ type: 'stop-exception', code, description, stop_type: 'S', sort: i }, asks),
  ),
  ...refusals.map(([code, description, , ...asks], i) =>
    codeOf({ type: 'stop-exception', code, description, stop_type: 'R', sort: 100 + i }, asks),
  ),
  codeOf({ type: 'stop-exception', code: '99', description: 'Other', stop_type: 'B', sort: 200 }, ['comment']),
];

function codeOf(
  facts: Pick<ReferenceCode, 'type' | 'code' | 'description' | 'sort'> & Partial<ReferenceCode>,
  asks: readonly Flag[],
): ReferenceCode {
  const requires = { requires_photo: asks.includes('photo'), requires_comment: asks.includes('comment') };
  return { category: '', stop_type: '', driver_visible: true, ...requires, ...facts };
}
