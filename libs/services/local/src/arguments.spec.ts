import { readArguments } from './arguments';

describe('arguments of npm start', () => {
  it('run: the local relay and whatever database is found, unless told otherwise', () => {
    expect(readArguments([])).toEqual({ kind: 'run', engine: undefined, wake: 'local' });
    expect(readArguments(['--wake=kafka', '--engine=tidb'])).toEqual({ kind: 'run', engine: 'tidb', wake: 'kafka' });
    expect(readArguments(['--wake=silent'])).toMatchObject({ wake: 'silent' });
  });

  it('help: asked for among anything else', () => {
    expect(readArguments(['--wake=nats', '--help'])).toEqual({ kind: 'help' });
  });

  it.each([['--wake=nats'], ['--wake='], ['--engine=oracle'], ['--wakes=kafka'], ['kafka'], ['--wake=local', '--wake=kafka']])(
    'refused: %s %s',
    (...args) => {
      expect(() => readArguments(args)).toThrow(expect.objectContaining({ code: 'HOUSE:local:Usage' }));
    },
  );
});
