// The demo's items, shops and people: constant values, so that every start has the same data.

export type DemoItem = {
  id: string;
  name: string;
  description: string;
  section: string;
  container: string;
  area: string;
  action: string | null;
};

const item = (
  id: string,
  name: string,
  description: string,
  section: string,
  container: string,
  area: string,
  action: string | null = null,
): DemoItem => ({
  id,
  name,
  description,
  section,
  container,
  area,
  action,
});

export const items: readonly DemoItem[] = [
  item('100234', 'Whole Milk 1 gal', 'Milk, whole, vitamin D, 1 gallon', 'CASES', 'PLASTIC TOTE', 'COOLER'),
  item('100241', 'Large Eggs 15 dz', 'Eggs, grade A large, case of 15 dozen', 'CASES', 'CASE', 'COOLER'),
  item('100377', 'Cheddar Block 5 lb', 'Cheddar, medium, 5 lb block', 'CASES', 'CASE', 'COOLER'),
  item('100412', 'Greek Yogurt 12 ct', 'Yogurt, Greek, plain, 12 x 5.3 oz', 'TOTES', 'PLASTIC TOTE', 'COOLER'),
  item('110020', 'Cigarettes Filter Kg', 'Cigarettes, filter kings, carton', 'CIG/TOB', 'PAPER TOTE', 'DRY', 'scan'),
  item('110035', 'Snuff Wintergreen', 'Moist snuff, wintergreen, roll of 5', 'CIG/TOB', 'PAPER TOTE', 'DRY', 'scan'),
  item('110047', 'Cigars Sweet 60 ct', 'Cigars, sweet tip, box of 60', 'CIG/TOB', 'PAPER TOTE', 'DRY', 'scan'),
  item('120101', 'Tomato Ketchup 6 ct', 'Ketchup, squeeze bottle, 6 x 38 oz', 'CASES', 'CASE', 'DRY'),
  item('120118', 'Jalapeño Slices 12 ct', 'Jalapeños, sliced, pickled, 12 x 12 oz', 'CASES', 'CASE', 'DRY'),
  item('120133', 'Crème Brûlée Mix', 'Dessert mix, crème brûlée, 8 x 9 oz', 'CASES', 'CASE', 'DRY'),
  item('120156', 'Ground Coffee 24 ct', 'Coffee, ground, medium roast, 24 x 12 oz', 'CASES', 'CASE', 'DRY', 'count'),
  item('120179', 'Potato Chips 40 ct', 'Potato chips, salted, 40 x 1.5 oz', 'CASES', 'CASE', 'DRY'),
  item('120184', 'Tortilla Chips 20 ct', 'Tortilla chips, restaurant style, 20 x 3 oz', 'CASES', 'CASE', 'DRY'),
  item('120203', 'Spring Water 24 ct', 'Water, spring, 24 x 16.9 fl oz', 'PALLETS', 'BLUE PALLET', 'DRY', 'deliver'),
  item('120217', 'Cola 24 ct', 'Cola, cans, 24 x 12 fl oz', 'PALLETS', 'BROWN PALLET', 'DRY', 'deliver'),
  item('120226', 'Energy Drink 24 ct', 'Energy drink, original, 24 x 16 fl oz', 'CASES', 'CASE', 'DRY', 'scan'),
  item('120240', 'Paper Towels 12 ct', 'Paper towels, 2-ply, 12 rolls', 'CASES', 'BALE', 'DRY'),
  item('120259', 'Trash Bags 55 gal', 'Trash bags, 55 gallon, 100 ct', 'CASES', 'BALE', 'DRY'),
  item('120271', 'Hot Cups 16 oz', 'Cups, hot drink, 16 oz, sleeve of 50', 'TOTES', 'PLASTIC TOTE', 'DRY'),
  item('120288', 'Lottery Roll Display', 'Ticket display with price sheet', 'INFO', 'PAPER TOTE', 'DRY'),
  item('130015', 'Beef Patties 10 lb', 'Beef patties, 80/20, 10 lb case', 'CASES', 'CASE', 'FREEZER'),
  item('130022', 'Chicken Tenders 10 lb', 'Chicken tenders, breaded, 10 lb case', 'CASES', 'CASE', 'FREEZER'),
  item('130039', 'French Fries 30 lb', 'French fries, 3/8 inch, 6 x 5 lb', 'CASES', 'CASE', 'FREEZER'),
  item('130046', 'Vanilla Ice Cream', 'Ice cream, vanilla, 3 gallon tub', 'CASES', 'CASE', 'FREEZER'),
  item('130053', 'Ice Cubes 7 lb', 'Ice cubes, bag, 7 lb', 'TOTES', 'PLASTIC TOTE', 'FREEZER'),
];

/** Collected items: their name, whether the entry is mandatory, in totes, and with photos. */
export const collectables = [
  {
    id: '900010',
    name: 'Empty Plastic Totes',
    description: 'Totes, plastic, empty, to return',
    container: 'PLASTIC TOTE',
    required: true,
    inTotes: true,
    photos: false,
  },
  {
    id: '900021',
    name: 'Empty Pallets',
    description: 'Pallets, blue or brown, empty, to return',
    container: 'BLUE PALLET',
    required: false,
    inTotes: false,
    photos: true,
  },
  {
    id: '900032',
    name: 'Damaged Goods',
    description: 'Goods credited at an earlier stop, to return',
    container: 'CASE',
    required: false,
    inTotes: true,
    photos: true,
  },
] as const;

export const salesReps = [
  { id: 'SR01', name: 'Dana Kowalski', phone: '312-555-0140' },
  { id: 'SR02', name: 'Luis Peña', phone: '312-555-0141' },
  { id: 'SR03', name: "Grace O'Hara", phone: '312-555-0142' },
] as const;

const shop = (
  id: string,
  name: string,
  street: string,
  city: string,
  zip: string,
  latitude: string,
  longitude: string,
) => ({
  id,
  name,
  street,
  city,
  zip,
  latitude,
  longitude,
});

export type DemoShop = ReturnType<typeof shop>;

export const shops: readonly DemoShop[] = [
  shop('C1001', 'Lakeview Corner Market', '3180 N Broadway', 'Chicago', '60657', '41.938912', '-87.644203'),
  shop('C1002', 'Halsted Food & Fuel', '1601 N Halsted St', 'Chicago', '60614', '41.911340', '-87.648415'),
  shop('C1003', 'Taquería El Molino', '2554 S Blue Island Ave', 'Chicago', '60608', '41.846220', '-87.678031'),
  shop('C1004', 'Bridgeport Grocery', '3258 S Wallace St', 'Chicago', '60616', '41.834377', '-87.641530'),
  shop('C1005', 'Café Söderberg', '5210 N Clark St', 'Chicago', '60640', '41.976530', '-87.668420'),
  shop('C1006', 'Oak Park Pantry', '814 W Lake St', 'Oak Park', '60301', '41.888301', '-87.798844'),
  shop('C1007', 'Cicero Quick Stop', '5601 W Cermak Rd', 'Cicero', '60804', '41.851690', '-87.763912'),
  shop('C1008', 'Berwyn Family Foods', '6718 W Ogden Ave', 'Berwyn', '60402', '41.837005', '-87.791210'),
  shop('C1009', 'Evanston Provisions', '1310 Chicago Ave', 'Evanston', '60201', '42.042120', '-87.680340'),
  shop('C1010', 'Skokie Express Mart', '4905 Oakton St', 'Skokie', '60077', '42.026340', '-87.751020'),
  shop('C1011', 'Northside Deli', '4750 N Lincoln Ave', 'Chicago', '60625', '41.968202', '-87.688540'),
  shop('C1012', 'Midway Travel Plaza', '5530 S Cicero Ave', 'Chicago', '60638', '41.792001', '-87.741610'),
  shop('C1013', 'Dairy Return Dock', '2200 S Fisk St', 'Chicago', '60608', '41.851230', '-87.660310'),
];

export const employees = [
  ['1001', 'Marcus Bell'],
  ['1002', 'Inés Quiroga'],
  ['1003', 'Tom Sadowski'],
  ['1004', 'Priya Nair'],
  ['1005', 'Wesley Grant'],
  ['1006', 'Ana Lucía Vega'],
  ['1007', 'Derek Olsen'],
  ['1008', 'Hannah Weiß'],
  ['1009', 'Calvin Brooks'],
  ['1010', 'Rosa Delgado'],
  ['1011', 'Nils Petersen'],
  ['1012', 'Joyce Carter'],
] as const;
