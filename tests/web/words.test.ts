import { afterAll, describe, expect, test, vi } from 'vitest';
import type { Word, Words } from '../../server/web/ui/i18n.ts';
import { en } from '../../server/web/driver/words/en.ts';
import { enDay } from '../../server/web/driver/words/en-day.ts';
import { enWhere } from '../../server/web/driver/words/en-where.ts';
import { enLoad } from '../../server/web/driver/words/en-load.ts';
import { enLater } from '../../server/web/driver/words/en-later.ts';
import { enRescue } from '../../server/web/driver/words/en-rescue.ts';
import { es } from '../../server/web/driver/words/es.ts';
import { esDay } from '../../server/web/driver/words/es-day.ts';
import { esWhere } from '../../server/web/driver/words/es-where.ts';
import { esLoad } from '../../server/web/driver/words/es-load.ts';
import { esLater } from '../../server/web/driver/words/es-later.ts';
import { esRescue } from '../../server/web/driver/words/es-rescue.ts';
import { i18n, sinceTime, t } from '../../server/web/driver/words/words.ts';
import { en as officeEn, es as officeEs } from '../../server/web/office/words/all.ts';

const apps: Readonly<Record<string, { readonly source: Words; readonly spanish: Words }>> = {
  driver: {
    source: { ...en, ...enRescue, ...enLater, ...enLoad, ...enDay, ...enWhere },
    spanish: { ...es, ...esRescue, ...esLater, ...esLoad, ...esDay, ...esWhere },
  },
  office: { source: officeEn, spanish: officeEs },
};
const texts = (word: Word | undefined): string[] =>
  typeof word === 'string' ? [word] : [word?.one ?? '', word?.other ?? ''];
const names = (text: string): string[] => [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).sort();

afterAll(() => i18n.lend('en'));

test('a moment of an earlier day has the article of a day in Spanish, and one of today that of a time', () => {
  vi.stubGlobal('document', { documentElement: { lang: '' } });
  i18n.lend('es');
  const [friday, monday] = [new Date(2026, 10, 20, 18, 40).getTime(), new Date(2026, 10, 23, 9, 5).getTime()];
  expect(t('net.off', { time: sinceTime(friday, monday) })).toBe('Sin red desde el viernes, 18:40.');
  expect(t('net.off', { time: sinceTime(monday, monday) })).toBe('Sin red desde las 09:05.');
});

describe.each(Object.entries(apps))('%s', (_, { source, spanish }) => {
  test('Spanish has the keys of English', () => {
    expect(Object.keys(spanish)).toEqual(Object.keys(source));
  });

  test('a sentence has the same names to fill in both languages', () => {
    for (const [key, word] of Object.entries(source)) {
      const wanted = [...new Set(texts(word).flatMap(names))];
      expect({ key, names: [...new Set(texts(spanish[key]).flatMap(names))] }).toEqual({ key, names: wanted });
    }
  });

  test('no sentence is empty, and none contains terms such as queue and payload', () => {
    for (const text of [...Object.values(source), ...Object.values(spanish)].flatMap(texts)) {
      expect(text.trim()).not.toBe('');
      expect(text).not.toMatch(/\b(sync|queue|payload|mutation|pending|error|oops)\b/i);
    }
  });
});
