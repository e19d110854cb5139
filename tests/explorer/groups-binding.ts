import { activateBinding } from '@connector/catalog/transitions/binding/activate-binding.tx';
import { Bound } from '@connector/testing/fixtures/binding';
import type { BindingRef } from '@connector/catalog/transitions/binding/binding-rows';
import { closeBindingReference } from '@connector/catalog/transitions/binding/close-binding-reference.tx';
import { decideRetention } from '@connector/catalog/transitions/binding/decide-retention.tx';
import { failBinding } from '@connector/catalog/transitions/binding/fail-binding.tx';
import { openBindingReference } from '@connector/catalog/transitions/binding/open-binding-reference.tx';
import { retireBinding } from '@connector/catalog/transitions/binding/retire-binding.tx';
import { stageBinding } from '@connector/catalog/transitions/binding/stage-binding.tx';
import type { Part } from '@connector/testing/explorer/schedule';
import { asking } from '@connector/testing/fixtures/registry';
import type { Group, Site } from './group';

const activates = (bound: Bound, ref: BindingRef): Part => {
  const [input, request] = [bound.activating(ref), asking()];
  return { name: 'activate', open: (db) => activateBinding(db, input, request) };
};
const stages = (bound: Bound): Part => {
  const [input, request] = [bound.staging(), asking()];
  return { name: 'stage', open: (db) => stageBinding(db, input, request) };
};
const fails = (ref: BindingRef): Part => {
  const request = asking();
  return { name: 'fail binding', open: (db) => failBinding(db, ref, request) };
};
const retires = (ref: BindingRef): Part => {
  const request = asking();
  return { name: 'retire', open: (db) => retireBinding(db, ref, request) };
};
const decides = (ref: BindingRef): Part => {
  const request = asking();
  return { name: 'decide', open: (db) => decideRetention(db, { ...ref, reason: 'explored' }, request) };
};
const refers = (ref: BindingRef): Part => ({
  name: 'refer',
  open: (db) => openBindingReference(db, { ...ref, referenceId: 'work-1', kind: 'work' }, 'test'),
});
const closes = (ref: BindingRef): Part => ({
  name: 'close',
  open: (db) => closeBindingReference(db, { ...ref, referenceId: 'work-1' }, 'test'),
});

/** Its authors meet there first; who refers to a binding is none of them. */
const BARRIER = 'cat_publication_barrier';
const INSTALLATION = 'cat_installation';

const group = (name: string, meets: string, parts: (bound: Bound, site: Site) => Promise<readonly Part[]>): Group => ({
  name,
  meets,
  arrange: async (site) => {
    const organization = `org-${site.word()}`;
    const bound = await Bound.ofOwn(site.schema, organization);
    return { parts: await parts(bound, site), watch: { accounts: [], organizations: [bound.organization] } };
  },
});

export const BINDING: readonly Group[] = [
  group('activate | activate', BARRIER, async (bound) => [activates(bound, await bound.staged()), activates(bound, await bound.staged())]),
  group('activate | activate, one binding', BARRIER, async (bound) => {
    const ref = await bound.staged();
    return [activates(bound, ref), activates(bound, ref)];
  }),
  group('activate | stage', BARRIER, async (bound) => [activates(bound, await bound.staged()), stages(bound)]),
  group('activate | fail binding', BARRIER, async (bound) => {
    const ref = await bound.staged();
    return [activates(bound, ref), fails(ref)];
  }),
  group('retire | refer', INSTALLATION, async (bound, { schema }) => {
    const ref = await bound.draining(schema);
    return [retires(ref), refers(ref)];
  }),
  group('retire | close', INSTALLATION, async (bound, { schema }) => {
    const ref = await bound.draining(schema);
    await refers(ref).open(schema.db);
    return [retires(ref), closes(ref)];
  }),
  group('retire | decide', INSTALLATION, async (bound, { schema }) => {
    const ref = await bound.draining(schema);
    await refers(ref).open(schema.db);
    return [retires(ref), decides(ref)];
  }),
  group('refer | refer', INSTALLATION, async (bound, { schema }) => {
    const ref = await bound.draining(schema);
    return [refers(ref), refers(ref)];
  }),
];
