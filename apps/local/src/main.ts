import { runLocal } from '@connector/services/local/src/run-local';

runLocal({ args: process.argv.slice(2), env: process.env, say: (line) => void process.stdout.write(`${line}\n`) }).then(
  (code) => process.exit(code),
  (thrown: unknown) => {
    process.stderr.write(`${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}\n`);
    process.exit(1);
  },
);
