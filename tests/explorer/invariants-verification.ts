import { bindingView } from '@connector/catalog/model/documents';
import { pairs, type Commit } from './invariant';
import type { Rows } from './rows';

type Content = Rows['contents'][number];
const isOf = (view: Rows['views'][number], content: Content): boolean =>
  view.organization_id === content.organization_id &&
  view.app_installation_id === content.app_installation_id &&
  view.authorized_workload_id === content.authorized_workload_id &&
  view.lineage_id === content.lineage_id &&
  view.catalog_revision === content.catalog_revision;
/** Epochs whose organization is looked at. */
const seen = ({ contents, lineages }: Rows): readonly Content[] =>
  contents.filter((content) => lineages.some(({ organization_id }) => organization_id === content.organization_id));

/** What an epoch froze of its view is one revision that was published: never the lineage of one, and digests or bindings of another. */
export function frozenWhole({ after }: Commit): readonly string[] {
  return seen(after).flatMap((content) => {
    const view = after.views.find((one) => isOf(one, content));
    if (view === undefined) return [`${content.epoch_id} froze a view of revision ${content.catalog_revision} that nobody published`];
    const { lineage, bindings, source_snapshot_digest } = bindingView.parse(Buffer.from(view.view, 'utf8')).value;
    const frozen = after.frozenBindings.filter(({ epoch_id }) => epoch_id === content.epoch_id);
    const same =
      view.view_digest === content.view_digest &&
      source_snapshot_digest === content.source_snapshot_digest &&
      BigInt(lineage.activation_epoch) === content.activation_epoch &&
      [...frozen]
        .sort((left, right) => left.ordinal - right.ordinal)
        .map(({ kind, business_key }) => `${kind} ${business_key}`)
        .join() === bindings.map(({ kind, business_key }) => `${kind} ${business_key}`).join();
    return same ? [] : [`${content.epoch_id} froze more than one revision`];
  });
}

/** Every generation that an epoch names is pinned when it becomes verified. */
export function verifiedPinned({ before, after }: Commit): readonly string[] {
  const verified = pairs(before.epochs, after.epochs, ({ epoch_id }) => epoch_id).flatMap(([old, now]) =>
    old.state !== 'verified' && now.state === 'verified' ? [now.epoch_id] : [],
  );
  return seen(after).flatMap(({ epoch_id }) => {
    if (!verified.includes(epoch_id)) return [];
    const named = after.frozenBindings.filter((one) => one.epoch_id === epoch_id).map((one) => one.pack_payload_digest);
    const pinned = after.pins.find((one) => one.epoch_id === epoch_id)?.generations ?? 0;
    return pinned === new Set(named).size ? [] : [`${epoch_id} is verified with ${pinned} generations pinned`];
  });
}
