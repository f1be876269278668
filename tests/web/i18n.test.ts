import { afterEach, expect, test, vi } from 'vitest';
import { createI18n } from '../../server/web/ui/i18n.ts';

const kept = new Map<string, string>();
vi.stubGlobal('document', { documentElement: { lang: '' } });
vi.stubGlobal('localStorage', {
  getItem: (key: string) => kept.get(key) ?? null,
  setItem: (key: string, value: string) => void kept.set(key, value),
});
afterEach(() => kept.clear());

const start = () => {
  const i18n = createI18n(
    { hello: 'Hello' },
    {
      en: { name: 'English', words: { hello: 'Hello' } },
      es: { name: 'Español', words: { hello: 'Hola' } },
    },
  );
  i18n.start();
  return i18n;
};

test('a chosen language is that of the next start; one lent to another reader is not', () => {
  const first = start();
  first.setLanguage('es');
  first.lend('en');
  expect(first.t('hello')).toBe('Hello');
  expect(start().t('hello')).toBe('Hola');
});

test.each([
  [['en-US'], '10,000', '35.7 mi'],
  [['es-MX', 'en-US'], '10,000', '57.5 km'],
  [['es', 'en-US'], '10,000', '57.5 km'],
  [['es'], '10,000', '57.5 km'],
  [['es-419'], '10,000', '57.5 km'],
  [['es-ES', 'en-US'], '10.000', '57,5 km'],
])('Spanish on a phone of %j writes numbers as the region does', (languages, number, distance) => {
  vi.stubGlobal('navigator', { languages, language: languages[0] });
  const i18n = start();
  i18n.setLanguage('es');
  expect([i18n.number(10_000), i18n.distance(57_453)]).toEqual([number, distance]);
});
