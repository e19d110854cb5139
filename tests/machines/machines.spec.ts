import { machine } from '@connector/kernel/machine';
import { pairsOf } from '@connector/testing/pairs';
import { machines, type OwnedMachine } from '../tidy/model';
import { MATRIX, TOTALS } from './matrix';
import { declared } from './moves';

const sum = (of: (counts: { allowed: number; refused: number; self: number }) => number): number =>
  Object.values(MATRIX).reduce((total, row) => total + of(row.counts), 0);
const text = (pairs: readonly { from: string; to: string }[]): string[] => pairs.map(({ from, to }) => `${from}>${to}`).sort();

/** How a machine differs from the matrix; machines that the matrix does not have are held only to themselves. */
function differences({ machine: held }: OwnedMachine): string[] {
  const pairs = pairsOf(held);
  const row = MATRIX[held.name];
  const wrong: string[] = [];
  for (const { from, to } of pairs.allowed) if (!held.allows(from, to)) wrong.push(`${held.name} refuses ${from}>${to}`);
  for (const { from, to } of [...pairs.refused, ...pairs.self]) if (held.allows(from, to)) wrong.push(`${held.name} allows ${from}>${to}`);
  if (row === undefined) return wrong;
  const counts = { allowed: pairs.allowed.length, refused: pairs.refused.length, self: pairs.self.length };
  if (JSON.stringify(counts) !== JSON.stringify(row.counts)) wrong.push(`${held.name} has ${JSON.stringify(counts)}`);
  if (JSON.stringify(text(pairs.allowed)) !== JSON.stringify([...row.allowed].sort()))
    wrong.push(`${held.name} moves ${text(pairs.allowed).join(' ')}`);
  if (row.initial !== null && held.initial !== row.initial) wrong.push(`${held.name} begins ${held.initial}`);
  if (JSON.stringify([...held.terminal].sort()) !== JSON.stringify([...row.terminal].sort()))
    wrong.push(`${held.name} ends ${held.terminal.join(' ')}`);
  return wrong;
}

const planted = (moves: Record<string, readonly (readonly [string, string])[]>): OwnedMachine => ({
  owner: 'connector',
  constant: 'planted',
  machine: machine({ name: 'RemoteLink', states: ['active', 'retired'], initial: 'active', moves }),
});

describe('machines', () => {
  it('54 moves, 164 refused and 53 self pairs: the matrix adds up', () => {
    expect({ allowed: sum((one) => one.allowed), refused: sum((one) => one.refused), self: sum((one) => one.self) }).toEqual(TOTALS);
    for (const row of Object.values(MATRIX)) expect(row.allowed).toHaveLength(row.counts.allowed);
  });

  it('named: a planted move too many, one too few, and a state that moves to itself', () => {
    expect(differences(planted({ a: [['active', 'retired']] }))).toEqual([]);
    expect(differences(planted({ a: [['active', 'retired']], b: [['retired', 'active']] }))).toHaveLength(3);
    expect(differences(planted({}))).toHaveLength(3);
    expect(differences(planted({ a: [['active', 'retired']], b: [['active', 'active']] }))).toEqual(['RemoteLink allows active>active']);
  });

  it('equal: every machine of every model moves exactly as the matrix lists (con:INV-29)', async () => {
    const found = await machines();
    console.log(found.map((one) => `${one.owner} ${one.machine.name}${MATRIX[one.machine.name] ? '' : ' (not in the matrix)'}`).join('\n'));
    expect(found.flatMap(differences)).toEqual([]);
  });

  it('carried: 26 of the 54 moves have a door by now; the database half opens every one of them', async () => {
    const ofTheMatrix = (await machines()).filter(({ machine: held }) => MATRIX[held.name] !== undefined);
    const counted = ofTheMatrix.map(async ({ machine: held }) => {
      const { moves, later } = await declared({ machine: held, table: '', column: '' });
      return [held.name, moves.length, later.length] as const;
    });
    const counts = (await Promise.all(counted)).sort();
    expect(counts).toEqual([
      ['AccountServingGate', 3, 8],
      ['CredentialGenerationDispatchGate', 2, 0],
      ['DispatchPermit', 4, 0],
      ['Execution', 5, 0],
      ['ExecutionDependency', 2, 1],
      ['RemoteEffect', 6, 5],
      ['RemoteLink', 0, 1],
      ['ServingEpoch', 4, 2],
    ]);
    console.log(`${counts.reduce((sum, [, carried]) => sum + carried, 0)} of ${TOTALS.allowed} listed moves have a door`);
  });

  it('one: no machine is exported twice under one name', async () => {
    const names = (await machines()).map((one) => one.machine.name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
});
