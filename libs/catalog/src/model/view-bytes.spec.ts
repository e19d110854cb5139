import * as fc from 'fast-check';
import { Digest } from '@connector/kernel/digest';
import { InputFault } from '@connector/kernel/faults';
import { BINDING_KINDS } from '@connector/kernel/document-binding';
import type { ActiveTuple, WorkloadGrant } from './active-tuple';
import { bindingView, membership, type ViewBinding } from './documents';
import { viewOf } from './view-of';

const seed = Date.now() % 2_147_483_647;
beforeAll(() => console.log(`view bytes: fast-check seed ${seed}`));
const holds = <T extends unknown[]>(property: fc.IProperty<T>, numRuns = 100): void => fc.assert(property, { seed, numRuns });

const digestOf = (text: string): Digest => Digest.sha256(Buffer.from(text));
/** Above U+FFFF and just below it: bytes and UTF-16 units order these two the other way round. */
const text = fc
  .array(fc.constantFrom('a', 'b', 'B', '-', '/', '1', '10', '\u00e4', '\ufb33', '\u{1f600}'), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join(''));
const binding: fc.Arbitrary<ViewBinding> = fc
  .record({
    kind: fc.constantFrom(...BINDING_KINDS),
    pack: fc.constantFrom('dev.one', 'dev.two', 'dev.two.a'),
    place: fc.constantFrom('pi-1', 'pi-2'),
    business_key: text,
    definition_version: fc.constantFrom('1', '2', '10'),
    credential_refs: fc.uniqueArray(text, { maxLength: 3 }),
  })
  .map(({ pack, place, ...rest }) => ({
    ...rest,
    owner_pack: pack,
    pack_installation_id: place,
    pack_payload_digest: digestOf(`${pack} ${place}`),
  }));
const nameOf = (row: ViewBinding): readonly string[] => [
  row.kind,
  row.owner_pack,
  row.pack_installation_id,
  row.business_key,
  row.definition_version,
];
const bindings = fc.uniqueArray(binding, { minLength: 2, maxLength: 8, selector: (row) => JSON.stringify(nameOf(row)) });

interface Facts {
  readonly bindings: readonly ViewBinding[];
  readonly dependencies: readonly string[];
  readonly capabilities: readonly string[];
  readonly revision: bigint;
}
const u64 = fc.bigInt({ min: 1n, max: 18_446_744_073_709_551_615n });
const facts: fc.Arbitrary<Facts> = fc.record({
  bindings,
  dependencies: fc.uniqueArray(text, { maxLength: 4 }),
  capabilities: fc.uniqueArray(fc.constantFrom('runtime.integrations.run.v1', 'runtime.integrations.run.v2', 'a.b.v1'), { maxLength: 3 }),
  revision: u64,
});
/** The same facts as somebody else would come by them: every list and the members of every binding in another order. */
const twice = facts.chain((given) => {
  const shuffled = <T>(items: readonly T[]) => fc.shuffledSubarray([...items], { minLength: items.length });
  const other = fc.tuple(shuffled(given.bindings), shuffled(given.dependencies), shuffled(given.capabilities), fc.boolean());
  return other.map(([rows, dependencies, capabilities, turned]): readonly [Facts, Facts] => {
    const written = (row: ViewBinding): ViewBinding => {
      const members = Object.entries({ ...row, credential_refs: [...row.credential_refs].reverse() });
      return Object.fromEntries(turned ? members.reverse() : members) as unknown as ViewBinding;
    };
    return [given, { ...given, bindings: rows.map(written), dependencies, capabilities }];
  });
});

function made({ bindings: rows, dependencies, capabilities, revision }: Facts, make = viewOf) {
  const grant: WorkloadGrant = { workloadId: 'wl.one', capabilities };
  const tuple: ActiveTuple = {
    ...{ organization: 'org-1', installation: 'installation-1', appReleaseDigest: digestOf('release') },
    ...{ dependencyReleaseDigests: dependencies.map(digestOf), grants: [grant] },
  };
  return make(tuple, grant, { lineageId: 'lineage-1', catalogRevision: revision, activationEpoch: 1n }, rows);
}

describe('bytes of a view, generated', () => {
  it('equal: whatever order everything was inserted in, and from code that was loaded anew (cat:INT-05, cat:INT-08)', () => {
    let again: typeof viewOf | undefined;
    jest.isolateModules(() => {
      again = (jest.requireActual('./view-of') as { viewOf: typeof viewOf }).viewOf;
    });
    expect(again).not.toBe(viewOf);
    holds(
      fc.property(twice, ([one, other]) => {
        const first = made(one);
        for (const second of [made(other), made(other, again)]) {
          expect(second.view.bytes.equals(first.view.bytes)).toBe(true);
          expect(second.snapshot.bytes.equals(first.snapshot.bytes)).toBe(true);
        }
        const wanted = (rows: readonly ViewBinding[]) =>
          membership.build({ schema_version: 'nexuscrm.integration-membership/v1', bindings: rows });
        expect(wanted(other.bindings).digest).toBe(wanted(one.bindings).digest);
      }),
    );
  });

  it('in one order: by the bytes of what names a binding, each once, none lost; the ordinal is the place (cat:INT-05)', () => {
    holds(
      fc.property(facts, (given) => {
        const names = bindingView.parse(made(given).view.bytes).value.bindings.map(nameOf);
        const hex = names.map((parts) => parts.map((part) => `${Buffer.from(part).toString('hex')}!`));
        expect(hex).toEqual(hex.toSorted((left, right) => (left.join('') < right.join('') ? -1 : 1)));
        expect(new Set(names.map((parts) => JSON.stringify(parts)))).toEqual(
          new Set(given.bindings.map((row) => JSON.stringify(nameOf(row)))),
        );
        expect(names).toHaveLength(given.bindings.length);
      }),
    );
  });

  it('refused: a binding twice, wherever it stands and whatever else it says (cat:INT-05)', () => {
    holds(
      fc.property(bindings, fc.nat(), fc.nat(), (rows, which, where) => {
        const again = { ...(rows[which % rows.length] as ViewBinding), credential_refs: ['another'] };
        const place = where % (rows.length + 1);
        const given = {
          dependencies: [],
          capabilities: [],
          revision: 1n,
          bindings: [...rows.slice(0, place), again, ...rows.slice(place)],
        };
        expect(() => made(given)).toThrow(InputFault);
      }),
    );
  });

  it('other: one fact less or another one, and no byte string is that of both (cat:INT-08)', () => {
    holds(
      fc.property(facts, fc.nat(), (given, which) => {
        const others: readonly Facts[] = [
          { ...given, bindings: given.bindings.filter((_, at) => at !== which % given.bindings.length) },
          { ...given, revision: given.revision === 1n ? 2n : given.revision - 1n },
          { ...given, dependencies: [...given.dependencies, 'one more'] },
          { ...given, capabilities: [...given.capabilities, 'one.more.v1'] },
        ];
        const digests = [given, ...others].map((one) => made(one).view.digest);
        expect(new Set(digests).size).toBe(digests.length);
      }),
    );
  });
});
