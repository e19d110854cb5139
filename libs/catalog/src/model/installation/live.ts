import { invariant } from '@connector/kernel/faults';

/**
 * The live installations of one organization, where each App has one (cat:INST-07). The database holds it too; whoever meets two all the same
 * stops, since nothing says which of them is meant (cat:INST-11).
 */
export function eachLiveOnce<L extends { readonly appId: string; readonly installation: string }>(live: readonly L[]): readonly L[] {
  const seen = new Map<string, string>();
  for (const { appId, installation } of live) {
    const other = seen.get(appId);
    invariant(other === undefined, 'HOUSE:catalog:LiveTwice', `${appId} lives as ${other} and as ${installation}`);
    seen.set(appId, installation);
  }
  return live;
}
