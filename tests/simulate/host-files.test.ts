import { expect, test } from 'vitest';
import { DriverHistory } from './model/diary.ts';
import { ownRows } from './model/host-files.ts';
import { PhoneClock } from './model/phone-clock.ts';

test('a world brings its own rows to the host, and no file or report of another world', async () => {
  const [employee, other] = ['10004', '10008'];
  const history = new DriverHistory();
  const tap = { n: 1, id: 'tap', by: employee, stop: 1, at: 0, isSaved: true };
  history.taps.push({ ...tap, values: { signature_id: 'NAMED' } }, { ...tap, values: { driver_comments: 'no file' } });
  const rows = async () => [{ value: { id: 'STORED', employee, state: { at: 'here' } }, bytes: Buffer.alloc(0) }];
  const phone = { employee, clock: new PhoneClock(0), app: undefined, files: { rows } };
  const isOwn = await ownRows({
    drivers: [{ employee, own: 1, history, hasPhone: true, isSignedIn: true, phone }],
  });

  const own = [employee, `R${employee}-1`, 'NAMED', 'STORED'];
  expect([...own, other, `R${other}-1`, 'OTHER'].filter((key) => isOwn([key]))).toEqual(own);
});
