import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bindingMachine } from '@connector/catalog/model/installation/binding';
import { installationMachine, LIVE_STATES } from '@connector/catalog/model/installation/installation';
import {
  appReleaseDigest,
  componentDigest,
  componentId,
  metadataBundleDigest,
  slotRevisionDigest,
} from '@connector/catalog/model/release-digests';
import { documentDigest } from '@connector/kernel/document';
import { jcs } from '@connector/kernel/jcs';
import { catalogBarrierReceipt, packsBarrierReceipt } from '@connector/kernel/publication-barrier';
import { MAIN_TABLES } from '@connector/schema/tables';

/** The machine-readable companion of the App authority contract, as an author reads it; the code is compared with it and never the other way. */
interface Companion {
  readonly evidence: { readonly revision: string };
  readonly constants: Readonly<Record<string, string>>;
  readonly legacy_facts: readonly { readonly fact: string; readonly owner: string }[];
  readonly facts: readonly { readonly id: string; readonly authority: string; readonly table?: string }[];
  readonly separators: Readonly<Record<string, string>>;
  readonly installation: Machine & { readonly live: readonly string[] };
  readonly handler_binding: Machine;
}
interface Machine {
  readonly states: readonly string[];
  readonly moves: readonly (readonly [string, string])[];
}
const companion = JSON.parse(readFileSync(join(__dirname, '../../docs/app-authority-contract.json'), 'utf8')) as Companion;

const pairs = (moves: Readonly<Record<string, readonly (readonly [string, string])[]>>): readonly string[] =>
  [...new Set(Object.values(moves).flatMap((listed) => listed.map(([from, to]) => `${from} > ${to}`)))].sort();
const listed = ({ moves }: Machine): readonly string[] => moves.map(([from, to]) => `${from} > ${to}`).sort();

describe('the companion of the App authority contract', () => {
  it('the same states and moves as the code’s machines (cat:GEN-07)', () => {
    expect([...installationMachine.states].sort()).toEqual([...companion.installation.states].sort());
    expect(pairs(installationMachine.moves)).toEqual(listed(companion.installation));
    expect([...LIVE_STATES].sort()).toEqual([...companion.installation.live].sort());
    expect([...bindingMachine.states].sort()).toEqual([...companion.handler_binding.states].sort());
    expect(pairs(bindingMachine.moves)).toEqual(listed(companion.handler_binding));
  });

  it('the same separators as the code’s five digests (cat:GEN-07)', () => {
    const bytes = Buffer.from('{}');
    const separator = (name: string): string => companion.separators[name] ?? '';
    expect({
      component_id: componentId('a.b', 'a.b.v1', 'k'),
      component_digest: componentDigest('a.b.v1', 1, bytes),
      metadata_bundle_digest: metadataBundleDigest(bytes),
      app_release_digest: appReleaseDigest(bytes),
      layout_bundle_slot_revision_digest: slotRevisionDigest('a.b.c', {}),
    }).toEqual({
      component_id: documentDigest(separator('component_id'), Buffer.from('a.b\0a.b.v1\0k')),
      component_digest: documentDigest(separator('component_digest'), Buffer.from('a.b.v1\x001\0{}')),
      metadata_bundle_digest: documentDigest(separator('metadata_bundle_digest'), bytes),
      app_release_digest: documentDigest(separator('app_release_digest'), bytes),
      layout_bundle_slot_revision_digest: documentDigest(
        separator('layout_bundle_slot_revision_digest'),
        jcs({ app_id: 'a.b.c', component: {} }),
      ),
    });
  });

  it('the separator of what both owners say who hold their authors off is ours, and one', () => {
    const own = companion.separators['publication_barrier_receipt_digest'];
    expect([catalogBarrierReceipt.separator, packsBarrierReceipt.separator]).toEqual([own, own]);
  });

  it('every table that it names as an authority is one of the schema, and each fact has one (cat:OWN-17)', () => {
    const names = new Set(MAIN_TABLES.map(({ name }) => name));
    expect(companion.facts.flatMap(({ table }) => (table === undefined || names.has(table) ? [] : [table]))).toEqual([]);
    expect(companion.facts.map(({ id }) => id)).toEqual(Array.from({ length: 16 }, (_, at) => `OWN-${String(at + 1).padStart(2, '0')}`));
    expect(companion.facts.filter(({ authority }) => authority === '')).toEqual([]);
  });

  it('the six facts of before are six entries with owners of their own (cat:GEN-09)', () => {
    expect(new Set(companion.legacy_facts.map(({ fact }) => fact)).size).toBe(6);
    expect(new Set(companion.legacy_facts.map(({ owner }) => owner)).size).toBe(6);
  });
});
