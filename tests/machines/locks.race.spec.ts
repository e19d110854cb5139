import { RetryableFault } from '@connector/kernel/faults';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { readyDoors, type Place, type ReadyDoor } from './doors';

let schema: TestSchema;
let doors: readonly ReadyDoor[];

beforeAll(async () => {
  schema = await mainSchema();
  doors = await readyDoors(schema);
});
afterAll(() => schema.close());

function door(name: string): ReadyDoor {
  const found = doors.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no door ${name}`);
  return found;
}

/** Whether somebody else holds this row, as a second session finds it. */
async function isHeld({ table, key }: Place): Promise<boolean> {
  const where = Object.keys(key)
    .map((column) => `${column} = ?`)
    .join(' AND ');
  try {
    await schema.sql(`SELECT 1 FROM ${table} WHERE ${where} FOR UPDATE NOWAIT`, Object.values(key));
    return false;
  } catch (error) {
    const { errno } = error as { errno?: number };
    if (errno === 1205 || errno === 3572) return true;
    throw error;
  }
}

const ABORT = 'HOUSE:testing:Aborted';
/** Nothing that a door did here may stay: the next one finds what this one found. */
const abortAt = (step: string): void => {
  if (step === 'commit') throw new RetryableFault(ABORT, 'seen enough');
};

interface Held {
  /** The tables of the door's places, in the order in which it came to hold them. */
  readonly order: readonly (readonly string[])[];
  readonly steps: readonly string[];
}

/** What a second session finds held between the statements of the door, whose COMMIT never comes. */
async function heldBy({ places, open }: ReadyDoor): Promise<Held> {
  const order: string[][] = [];
  const steps: string[] = [];
  const held = new Set<Place>();
  const db = schema.another(async ({ step }) => {
    const now: Place[] = [];
    for (const one of places) if (!held.has(one) && (await isHeld(one))) now.push(one);
    now.forEach((one) => held.add(one));
    if (now.length > 0) order.push(now.map(({ table }) => table));
    steps.push(step);
    abortAt(step);
  });
  await expect(open(db)).rejects.toMatchObject({ code: ABORT });
  return { order, steps };
}

const STANDARD_FENCE = ['begin', 'lock con_serving_gate', 'read con_epoch'];

describe('locks of the doors', () => {
  it.each([
    ['con:ADM-L', 'admit-and-materialize', true],
    ['con:OMAT-L', 'materialize-receipts', true],
    ['con:CLM-L', 'claim-executions', true],
    ['con:RREC-L', 'record-results', false],
    ['con:OMAT-L', 'materialize-receipts in lanes', true],
    ['con:CLM-L', 'claim-lanes', true],
    ['con:DEPR-L', 'dispose-gaps', true],
    ['con:RREC-L', 'record-results in lanes', false],
    ['con:RTC-L con:OAU-L', 'commit-application', true],
    ['con:EMAT-L', 'create-effects', true],
    ['con:ECLM-L con:PACQ-L', 'grant', true],
    ['con:SEND-L', 'start-sending', false],
    ['con:SETL-L', 'settle-permits', false],
    ['con:FIN-L', 'finalize-effects', false],
    ['con:ABN-L', 'abandon-permits', false],
    ['con:REV-L', 'revoke-credential', false],
    ['con:REE-L', 'reenable-credential', false],
    ['con:HALT-L', 'halt-gate', false],
    ['con:HLTD-L', 'conclude-halt', false],
    ['con:RESU-L', 'resume-gate', false],
  ])('held: %s the rows that %s names, one after the other in the order of the requirement', async (_rows, name, fenced) => {
    const { places } = door(name);
    const { order, steps } = await heldBy(door(name));
    expect(order).toEqual(places.map(({ table }) => [table]));
    // The gate holds its epoch still, so the epoch is read right behind it and needs no lock of its own (decisions 3.1).
    expect(steps.slice(0, 3).join() === STANDARD_FENCE.join()).toBe(fenced);
    for (const one of places) expect([one.table, await isHeld(one)]).toEqual([one.table, false]);
  });
});
