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
