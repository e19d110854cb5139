import { freePort } from '@connector/platform/engine/free-port';
import { processesOf, type ProcessName, PROXY_PORT, SUPERVISOR_PORT } from './plan';

export type PortName = ProcessName | 'egress-proxy';
export type Ports = Readonly<Record<string, number>>;

/**
 * Where each part listens: its last place where that is free, else the nearest free one after it. Nobody is asked to leave, and who has lost
 * its place takes nobody else's.
 */
export async function choosePorts(last: Ports, shift = 0, processes = processesOf()): Promise<Ports> {
  const usual: [PortName, number][] = [
    ...processes.map(({ process, port }): [PortName, number] => [process, port + shift]),
    ['local', SUPERVISOR_PORT + shift],
    ['egress-proxy', PROXY_PORT + shift],
  ];
  const wanted = usual.map(([name, port]): [PortName, number] => [name, last[name] ?? port]);
  const chosen = new Map<PortName, number>();
  const taken = new Set<number>();
  for (const [name, port] of wanted) {
    if (taken.has(port) || (await freePort(port)) !== port) continue;
    chosen.set(name, port);
    taken.add(port);
  }
  for (const [name, port] of wanted.filter(([one]) => !chosen.has(one))) {
    const found = await nextFree(port, taken);
    chosen.set(name, found);
    taken.add(found);
  }
  return Object.fromEntries(chosen);
}

async function nextFree(near: number, taken: ReadonlySet<number>): Promise<number> {
  const port = await freePort(near);
  return taken.has(port) ? nextFree(port + 1, taken) : port;
}
