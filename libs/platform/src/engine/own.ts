import { defaultDatabases, defaultPort, type Engine, type EngineOptions, journalBeside, type Login } from './engine';
import { withFolderLock } from './folder-lock';
import { joinOrStart, leave, type OwnProgram } from './own-program';
import { probe } from './probe';
import { type Home, openHome, type Server } from './server';

/** An engine of our own in `dataDir`: joined or taken over when it runs, started when not. Call under the folder's lock. */
export async function ownEngine(server: Server, options: EngineOptions): Promise<Engine> {
  const home = await openHome(options);
  const own = ownProgram(server, home);
  try {
    const { port, server: mark } = await joinOrStart(own, options.portNear ?? defaultPort);
    return { ...(await describe(server, home, port, () => withFolderLock(home.dataDir, () => leave(own)))), pid: mark.pid };
  } catch (error) {
    // What cannot be used is not left running behind the refusal.
    await leave(own);
    throw error;
  }
}

function ownProgram(server: Server, home: Home): OwnProgram {
  const { kind, title, program, dataArgument } = server;
  const { dataDir, say, env } = home;
  return {
    ...{ kind, title, program, dataArgument, dataDir, say, env },
    prepare: () => server.prepare(home),
    argumentsFor: (port) => Promise.resolve(server.argumentsFor(home, port)),
    answers: (port) => server.firstLogin(home, loginOf(home, port)),
  };
}

/** Settled and probed: what it needs before the product may stand on it. */
export async function describe(
  server: Pick<Server, 'settle' | 'source' | 'warnings'>,
  home: Home,
  port: number,
  stop: () => Promise<void>,
): Promise<Engine> {
  const login = loginOf(home, port);
  await server.settle(home, login);
  const probed = await probe(login);
  return {
    ...login,
    ...probed,
    source: server.source,
    mainDatabase: defaultDatabases.main,
    journalDatabase: defaultDatabases.journal,
    warnings: [...probed.warnings, ...server.warnings, journalBeside],
    stop,
  };
}

export const loginOf = (home: Home, port: number): Login => ({ host: '127.0.0.1', port, user: 'root', password: home.password });
