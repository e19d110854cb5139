import { DefectFault } from '@connector/kernel/faults';
import type { PolicyBasis } from '@connector/connector/model/explain/finding';
import type { AlertKey } from '@connector/connector/model/explain/reason';
import type { AlertTimes } from '@connector/connector/reads/explain/sources';
import type { Telemetry } from '@connector/platform/telemetry/metrics';
import type { AccountView } from '@connector/services/epoch-view/src/epoch-view';
import type { EpochViews } from '@connector/services/epoch-view/src/epoch-views';

/** What an epoch froze for an account, where it can be read. */
export class FrozenPolicies {
  constructor(
    private readonly views: EpochViews,
    private readonly telemetry: Telemetry,
  ) {}

  async alertAfter(basis: PolicyBasis): Promise<AlertTimes | undefined> {
    const view = await this.#viewOf(basis);
    const account = view?.account(basis.account);
    if (view === undefined || account === undefined) return undefined;
    // Compiles only while every alert of the catalogue is a member of the policies.
    const afterMs: Readonly<Record<AlertKey, number>> = account.policies.alert_after_ms;
    return { afterMs, declaredBy: view.configurationId };
  }

  async accountOf(basis: PolicyBasis): Promise<AccountView | undefined> {
    return (await this.#viewOf(basis))?.account(basis.account);
  }

  /** A broken epoch is when people need an explanation most: it is counted, and the answer says that no alert is declared. */
  async #viewOf(basis: PolicyBasis) {
    try {
      return await this.views.of(basis);
    } catch (thrown) {
      if (!(thrown instanceof DefectFault)) throw thrown;
      this.telemetry.fault(thrown);
      return undefined;
    }
  }
}
