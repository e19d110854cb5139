import { ConfigurationId } from '@connector/kernel/ids';
import { CONFIGURATION, CREDENTIAL } from '@connector/services/local/src/demo/world';
import type { SystemUnderTest } from '../system';

export const HOOK = CONFIGURATION.accounts[0]?.account ?? '';
export const DESK = CREDENTIAL.account;

/** What the script looks at between its acts. */
export class CrashRows {
  readonly #system: SystemUnderTest;

  constructor(system: SystemUnderTest) {
    this.#system = system;
  }

  async records(recordId: string): Promise<number> {
    const [row] = await this.#system.sql('SELECT COUNT(*) AS n FROM run_record WHERE record_key LIKE ?', [`%"${recordId}"%`]);
    return Number(row?.['n']);
  }

  async completed(): Promise<number> {
    const [row] = await this.#system.sql("SELECT COUNT(*) AS n FROM con_execution WHERE state = 'completed' AND account = ?", [DESK]);
    return Number(row?.['n']);
  }

  /** Whether the lane of this ticket's hints has an execution at work. */
  async atWork(ticketId: number): Promise<boolean> {
    const partition = Buffer.from([DESK, 'ticket', ticketId].join('\0'));
    const lanes = await this.#system.sql(
      'SELECT lane_id FROM con_ordering_lane WHERE ordering_partition = ? AND active_execution IS NOT NULL',
      [partition],
    );
    return lanes.length > 0;
  }

  async claimedAgain(): Promise<number> {
    const [row] = await this.#system.sql('SELECT COUNT(*) AS n FROM con_execution_attempt WHERE ordinal > 1');
    return Number(row?.['n']);
  }

  async gaps(): Promise<number> {
    const [row] = await this.#system.sql("SELECT COUNT(*) AS n FROM con_execution_dependency WHERE state = 'waiting'");
    return Number(row?.['n']);
  }

  /** The half hour of the pack, without waiting for it. Row by row: a statement over several would lock what the services lock the other way. */
  async passDeadlines(): Promise<void> {
    const system = this.#system;
    const gaps = await system.sql("SELECT lane_id, missing_position FROM con_execution_dependency WHERE state = 'waiting'");
    for (const { lane_id: lane, missing_position: missing } of gaps) {
      const key = 'lane_id = ? AND missing_position = ?';
      await system.sql(`UPDATE con_execution_dependency SET deadline = NOW(6) WHERE ${key} AND state = 'waiting'`, [lane, missing]);
      await system.sql('UPDATE con_ordering_lane SET due_at = NOW(6) WHERE lane_id = ? AND active_execution IS NULL', [lane]);
    }
    await system.sql("UPDATE con_account_work SET produced = produced + 1, due_at = NOW(6) WHERE stage = 'execution' AND account = ?", [
      HOOK,
    ]);
  }

  async count(table: 'con_remote_effect' | 'con_remote_link'): Promise<number> {
    const [row] = await this.#system.sql(`SELECT COUNT(*) AS n FROM ${table}`);
    return Number(row?.['n']);
  }

  async open(state: string): Promise<number> {
    const [row] = await this.#system.sql('SELECT COUNT(*) AS n FROM con_dispatch_permit WHERE open_account IS NOT NULL AND state = ?', [
      state,
    ]);
    return Number(row?.['n']);
  }

  async mode(): Promise<string> {
    const [gate] = await this.#system.sql('SELECT mode FROM con_serving_gate WHERE account = ?', [DESK]);
    return String(gate?.['mode']);
  }

  /** The configuration of the epoch that serves. */
  async configured(): Promise<string | undefined> {
    const rows = await this.#system.sql(
      "SELECT c.configuration_id FROM con_epoch_content c JOIN con_epoch e ON e.epoch_id = c.epoch_id WHERE e.state = 'active' LIMIT 1",
    );
    const held = rows[0]?.['configuration_id'];
    return Buffer.isBuffer(held) ? ConfigurationId.of(held) : undefined;
  }

  /** The id that Catalog gave the App of this machine. */
  async installation(): Promise<string> {
    const [row] = await this.#system.sql("SELECT app_installation_id FROM cat_installation WHERE state = 'ACTIVE' LIMIT 1");
    return String(row?.['app_installation_id']);
  }
}
