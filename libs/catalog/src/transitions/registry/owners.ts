import type { Digest } from '@connector/kernel/digest';
import { readRows } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { catCapabilityOwner, catComponentOwner } from '@connector/schema/catalog/registry';
import { type AppId, CapabilityId } from '../../model/identifier';
import type { AppRelease } from '../../model/release';

export type OwnerRefusal =
  | { readonly code: 'COMPONENT_OWNED'; readonly componentId: Digest; readonly ownerAppId: string; readonly appId: AppId }
  | { readonly code: 'CAPABILITY_OWNED'; readonly capabilityId: CapabilityId; readonly ownerAppId: string; readonly appId: AppId };

/** What nobody owns yet, in bytewise order: everybody inserts in that order, so no two registrations wait for one another. */
export interface Unowned {
  readonly components: readonly Digest[];
  readonly capabilities: readonly CapabilityId[];
}

/** Ids a statement. */
const AT_ONCE = 500;
const COMPONENTS = readRows(catComponentOwner, ['component_id', 'app_id'], `WHERE component_id IN (:component_id) LIMIT ${AT_ONCE}`);
const CAPABILITIES = readRows(catCapabilityOwner, ['capability_id', 'app_id'], `WHERE capability_id IN (:capability_id) LIMIT ${AT_ONCE}`);

/** Owner rows are written once, so what stands decides; what does not stand yet may be taken before this commits (`insertRaced`). */
export async function judgeOwners(tx: FencedTx, release: AppRelease): Promise<Unowned | OwnerRefusal> {
  const { appId, bundle, manifest } = release;
  const components = bundle.components.map((component) => component.component_id);
  const componentOwners = await ownersOf(components, async (ids) =>
    (await tx.read(COMPONENTS, { component_id: ids })).map((row) => [row.component_id, row.app_id] as const),
  );
  const foreign = components.find((id) => isForeign(componentOwners.get(id), appId));
  if (foreign !== undefined)
    return { code: 'COMPONENT_OWNED', componentId: foreign, ownerAppId: componentOwners.get(foreign) ?? '', appId };
  const capabilities = manifest.provided_capabilities.map((capability) => capability.capability_id);
  const capabilityOwners = await ownersOf(capabilities, async (ids) =>
    (await tx.read(CAPABILITIES, { capability_id: ids })).map((row) => [CapabilityId.parse(row.capability_id), row.app_id] as const),
  );
  const taken = capabilities.find((id) => isForeign(capabilityOwners.get(id), appId));
  if (taken !== undefined) return { code: 'CAPABILITY_OWNED', capabilityId: taken, ownerAppId: capabilityOwners.get(taken) ?? '', appId };
  return {
    components: components.filter((id) => !componentOwners.has(id)),
    capabilities: capabilities.filter((id) => !capabilityOwners.has(id)),
  };
}

const isForeign = (owner: string | undefined, appId: AppId): boolean => owner !== undefined && owner !== appId;

async function ownersOf<Id>(
  ids: readonly Id[],
  read: (ids: readonly Id[]) => Promise<readonly (readonly [Id, string])[]>,
): Promise<ReadonlyMap<Id, string>> {
  const found = new Map<Id, string>();
  for (let at = 0; at < ids.length; at += AT_ONCE) for (const [id, owner] of await read(ids.slice(at, at + AT_ONCE))) found.set(id, owner);
  return found;
}

export async function takeOwnership(tx: FencedTx, appId: AppId, { components, capabilities }: Unowned): Promise<void> {
  await tx.insertRaced(
    catComponentOwner,
    components.map((id) => ({ component_id: id, app_id: appId })),
  );
  await tx.insertRaced(
    catCapabilityOwner,
    capabilities.map((id) => ({ capability_id: id, app_id: appId })),
  );
}
