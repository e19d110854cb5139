import { SERVICE_NAMES, type SystemUnderTest } from '../system';

const FAULT = /^connector_faults_total\{([^}]*)\} (\d+)$/gm;
const LABEL = /(class|code)="([^"]*)"/g;

/** What every service counted since it started, by class and code. */
export async function faultCounts(system: SystemUnderTest): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const name of SERVICE_NAMES) {
    const text = await (await fetch(`${system.local.url(name)}/metrics`)).text();
    for (const [, labels = '', count] of text.matchAll(FAULT)) {
      const held = new Map([...labels.matchAll(LABEL)].map(([, label, value]) => [label, value]));
      const fault = `${held.get('class')} ${held.get('code')}`;
      counts.set(fault, (counts.get(fault) ?? 0) + Number(count));
    }
  }
  return counts;
}
