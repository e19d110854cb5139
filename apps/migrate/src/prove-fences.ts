import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { InputFault } from '@connector/kernel/faults';
import type { Ask } from '@connector/platform/engine/connect';
import { errnoOf } from './sql';

/** Of a NOWAIT: one engine has a number of its own for it, the other says it as a wait of no time. */
const BUSY: readonly unknown[] = [3572, 1205];
/** How long the second update is given to come to the row before the first commits. It lands in neither order; this makes it the order that counts. */
const LATE_MS = 20;

/**
 * Proves on the engine that answers here what every fence rests on, with two sessions and the row of revision 0, which `one` holds by a
 * locking read in an open transaction: another NOWAIT is refused meanwhile, and of two updates that compare with the same value one lands.
 * Ends that transaction. InputFault where the engine takes a lock or a comparison for granted: nothing of this product is right on it.
 */
export async function proveFences(one: Ask, other: Ask, table: string): Promise<void> {
  const [[seen = ''] = []] = await one(`SELECT HEX(checksum) FROM ${table} WHERE revision = 0 FOR UPDATE`);
  await other('START TRANSACTION');
  if (!(await isRefused(other, `SELECT revision FROM ${table} WHERE revision = 0 FOR UPDATE NOWAIT`)))
    throw new InputFault('HOUSE:migrate:LockNotKept', 'this engine gave a row to a locking read with NOWAIT while another session held it');
  const fence = (): string =>
    `UPDATE ${table} SET checksum = x'${randomBytes(32).toString('hex')}' WHERE revision = 0 AND checksum = x'${seen}'`;
  await one(fence());
  const first = await landed(one);
  const [second] = await Promise.all([other(fence()).then(() => landed(other)), pause(LATE_MS).then(() => one('COMMIT'))]);
  await other('ROLLBACK');
  if (first !== 1 || second !== 0)
    throw new InputFault(
      'HOUSE:migrate:FenceNotKept',
      `of two updates that compared with one value ${first + second} landed on this engine`,
    );
}

async function isRefused(ask: Ask, sql: string): Promise<boolean> {
  try {
    await ask(sql);
    return false;
  } catch (error) {
    if (!BUSY.includes(errnoOf(error))) throw error;
    return true;
  }
}

async function landed(ask: Ask): Promise<number> {
  const [[count = ''] = []] = await ask('SELECT ROW_COUNT()');
  return Number(count);
}
