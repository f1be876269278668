import { keepWord, keptWord } from './kept-word.ts';

/** A sentence with `{names}` to fill; with plural forms where a number decides: the argument `n` selects the form. */
export type Word = string | { readonly one: string; readonly other: string };
export type Words = Readonly<Record<string, Word>>;

type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;
type NamesOf<Some extends Word> = Some extends string
  ? NamesIn<Some>
  : Some extends { readonly one: infer One extends string; readonly other: infer Other extends string }
    ? NamesIn<One> | NamesIn<Other> | 'n'
    : never;
type ArgumentsOf<Some extends Word> = [NamesOf<Some>] extends [never]
  ? []
  : [fill: { readonly [Name in NamesOf<Some>]: string | number }];

/** The shape of a translation: exactly the keys of the source language, with plural forms at the same keys. */
export type Translation<Source extends Words> = {
  readonly [Key in keyof Source]: Source[Key] extends string
    ? string
    : { readonly one: string; readonly other: string };
};

/** Returns the sentence of a key in the present language. */
export type Translate<Source extends Words> = <Key extends keyof Source & string>(
  key: Key,
  ...fill: ArgumentsOf<Source[Key]>
) => string;

export interface I18n<Source extends Words> {
  /** Takes the reader's language from here on; before it, the source language. Called before the first render. */
  readonly start: () => void;
  readonly t: Translate<Source>;
  /** `t` of words that load later, with their part of the app; in the same language. */
  readonly later: <More extends Words>(
    source: More,
    translations: Readonly<Record<string, Translation<More>>>,
  ) => Translate<More>;
  readonly language: () => string;
  /** The languages by their own names. */
  readonly languages: readonly { readonly code: string; readonly name: string }[];
  readonly setLanguage: (code: string) => void;
  /** Shows another reader the app in this language: the present one's choice stays kept for the next start. */
  readonly lend: (code: string) => void;
  readonly subscribe: (listener: () => void) => () => void;
  /** A time of day such as 08:56, on the reader's clock. */
  readonly time: (ms: number) => string;
  /** A time with seconds. */
  readonly exactTime: (ms: number) => string;
  /** A day and a time, or the time alone where it is today. */
  readonly moment: (ms: number, now: number) => string;
  readonly number: (value: number) => string;
  /** A distance in the unit of the reader's country. */
  readonly distance: (metres: number) => string;
}

const storageKey = 'tailgate-language';

/** The languages of an app: the first is the source, and the fallback. */
export function createI18n<Source extends Words>(
  source: Source,
  translations: Readonly<Record<string, { readonly name: string; readonly words: Translation<Source> }>>,
): I18n<Source> {
  const listeners = new Set<() => void>();
  const [fallback = 'en'] = Object.keys(translations);
  let code = fallback;
  let words: Words = source;
  let forms = formatsOf(code);
  const speak = (next: string): void => {
    code = next;
    words = translations[code]?.words ?? source;
    forms = formatsOf(code);
    document.documentElement.lang = code;
  };
  /** Returns whether the language is another one now. */
  const change = (next: string): boolean => {
    if (!translations[next] || next === code) return false;
    speak(next);
    for (const listener of [...listeners]) listener();
    return true;
  };
  const filled = (word: Word, fill: unknown): string => {
    const text = typeof word === 'string' ? word : word[forms.plural(Number(valueOf(fill, 'n')))];
    return text.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const value = valueOf(fill, name);
      return typeof value === 'number' ? forms.number(value) : typeof value === 'string' ? value : '';
    });
  };

  return {
    t: (key, ...[fill]) => filled(words[key] ?? source[key] ?? key, fill),
    later:
      (more, byCode) =>
      (key, ...[fill]) =>
        filled(byCode[code]?.[key] ?? more[key] ?? key, fill),
    start: () => speak(preferred(Object.keys(translations)) ?? fallback),
    language: () => code,
    languages: Object.entries(translations).map(([each, { name }]) => ({ code: each, name })),
    setLanguage: (next) => void (change(next) && keepWord(storageKey, code)),
    lend: (next) => void change(next),
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    time: (ms) => forms.time.format(ms),
    exactTime: (ms) => forms.exactTime.format(ms),
    moment: (ms, now) => (isSameDay(ms, now) ? forms.time : forms.dayAndTime).format(ms),
    number: (value) => forms.number(value),
    distance: (metres) => forms.distance(metres),
  };
}

const valueOf = (fill: unknown, name: string): unknown =>
  fill instanceof Object ? Object.entries(fill).find(([key]) => key === name)?.[1] : undefined;

export const isSameDay = (a: number, b: number): boolean => new Date(a).toDateString() === new Date(b).toDateString();

function formatsOf(code: string) {
  const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  const rules = new Intl.PluralRules(code);
  const written = withRegion(code);
  const numbers = new Intl.NumberFormat(written);
  const inMiles = /-(US|GB|LR|MM)\b/.test(navigator.language);
  const unit = inMiles ? 'mile' : 'kilometer';
  const distances = new Intl.NumberFormat(written, { style: 'unit', unit, maximumFractionDigits: 1 });
  return {
    time: new Intl.DateTimeFormat(code, clock),
    exactTime: new Intl.DateTimeFormat(code, { ...clock, second: '2-digit' }),
    dayAndTime: new Intl.DateTimeFormat(code, { ...clock, weekday: 'long' }),
    plural: (n: number): 'one' | 'other' => (rules.select(n) === 'one' ? 'one' : 'other'),
    number: (value: number) => numbers.format(value),
    distance: (metres: number) => distances.format(metres / (inMiles ? 1_609.344 : 1_000)),
  };
}

/** The language as its region writes numbers, by the phone's languages: without a region, Spanish is that of Spain. */
function withRegion(code: string): string {
  const { languages } = navigator;
  const own = languages.filter((each) => each.split('-')[0] === code);
  const [region = 'US'] = [...own, ...languages].flatMap((each) => /-([A-Z]{2}|\d{3})\b/.exec(each)?.[1] ?? []);
  return `${code}-${region}`;
}

/** The reader's choice, else the first language of the browser that the app has. */
function preferred(known: readonly string[]): string | undefined {
  const wanted = [keptWord(storageKey), ...navigator.languages].map((each) => each?.split('-')[0]);
  return wanted.find((each): each is string => each !== undefined && known.includes(each));
}
