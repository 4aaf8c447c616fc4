// What a release build does with and without Node: the real build script of cli/host, in a package that is nothing else.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const repository = join(dirname(fileURLToPath(import.meta.url)), '..');
const MANIFEST = `[package]
name = "taken-in"
version = "0.0.0"
edition = "2024"

[workspace]

[build-dependencies]
miniz_oxide = { version = "0.9", default-features = false, features = ["std", "with-alloc"] }
`;
/** Says what was taken in, and what the program would say if nothing was. */
const PROGRAM = `const INSIDE: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/web_app.rs"));
fn main() {
    for (path, _) in INSIDE { println!("{path}"); }
    eprintln!("{}", env!("UBP_WEB_APP_MISSING"));
}
`;

/** A folder of programs without Node, as `PATH`. */
function withoutNode(folder) {
  mkdirSync(folder);
  for (const name of ['cargo', 'rustc', 'rustup', 'cc', 'ld', 'as', 'sh', 'env', 'git']) {
    const found = process.env.PATH.split(delimiter).map((path) => join(path, name));
    for (const file of found) {
      try {
        // Rustup's programs go by the name that they are called by.
        realpathSync(file);
        symlinkSync(file, join(folder, name));
        break;
      } catch {
        // The next folder may have it.
      }
    }
  }
  return folder;
}

describe('a release build', () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'ubp-build-')));
  const environment = { ...process.env, CARGO_TARGET_DIR: join(root, 'target'), CARGO_NET_OFFLINE: 'true', CARGO_TERM_COLOR: 'never' };
  const crate = join(root, 'cli/host');
  let path;

  before(() => {
    path = withoutNode(join(root, 'bin'));
    mkdirSync(join(crate, 'src'), { recursive: true });
    cpSync(join(repository, 'cli/host/build.rs'), join(crate, 'build.rs'));
    writeFileSync(join(crate, 'Cargo.toml'), MANIFEST);
    writeFileSync(join(crate, 'src/main.rs'), PROGRAM);
    // What is in a fresh clone, and the packages that `npm ci` would install.
    const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard', 'web-viewer', 'npm/ubp/generated', 'bindings-wasm/dist', 'rust-toolchain.toml'], { cwd: repository, encoding: 'utf8' });
    for (const file of files.split('\0').filter(Boolean)) cpSync(join(repository, file), join(root, file));
    cpSync(join(repository, 'web-viewer/node_modules'), join(root, 'web-viewer/node_modules'), { recursive: true, verbatimSymlinks: true });
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  function build(env = environment) {
    const ran = spawnSync('cargo', ['build', '--release', '--offline', '--message-format=json-render-diagnostics'], { cwd: crate, encoding: 'utf8', env });
    assert.equal(ran.status, 0, ran.stderr);
    const messages = ran.stdout.trim().split('\n').map((line) => JSON.parse(line));
    const { executable, fresh } = messages.find(({ reason, executable }) => reason === 'compiler-artifact' && executable);
    const { stdout, stderr } = spawnSync(executable, { encoding: 'utf8' });
    return { files: stdout.split('\n').filter(Boolean), says: stderr.trim(), isFresh: fresh, log: ran.stderr };
  }

  test('without Node has no viewer, and names a command that makes it one', () => {
    const without = build({ ...environment, PATH: path });
    assert.deepEqual(without.files, []);
    assert.match(without.says, /^Node was not found .* Install Node 20\.19 or newer/);
    assert.match(without.log, /warning: .*`ubp viewer` will not work/);
    assert.equal(build({ ...environment, PATH: path }).isFresh, true, 'nothing changed, and it was built anew');
    const [, command] = /`([^`]+)`/.exec(without.says);
    assert.match(command, /cargo build --release$/);
    // The command is for the root of a clone, where this package stands for the workspace.
    const [make, compile] = command.split(' && ');
    execFileSync('sh', ['-c', make], { cwd: root, env: environment, stdio: 'pipe' });
    execFileSync('sh', ['-c', compile], { cwd: crate, env: environment, stdio: 'pipe' });
    const after = build();
    assert.ok(after.isFresh, 'the command had built it');
    assert.ok(after.files.includes('index.html'));
  });

  test('with Node alone has the viewer, without an engine for browsers', () => {
    rmSync(join(root, 'web-viewer/dist'), { recursive: true });
    rmSync(environment.CARGO_TARGET_DIR, { recursive: true });
    const { files } = build();
    assert.ok(files.includes('index.html') && files.some((file) => file.endsWith('.js')), files.join());
    assert.deepEqual(files.filter((file) => file.endsWith('.wasm')), []);
    assert.ok(!files.some((file) => /(^|\/)\./.test(file)), 'what is hidden is no part of it');
  });

  test('is not repeated when nothing changed, and follows what did', () => {
    assert.equal(build().isFresh, true);
    appendFileSync(join(root, 'web-viewer/index.html'), '<!-- changed -->\n');
    const changed = build();
    assert.equal(changed.isFresh, false);
    assert.match(readFileSync(join(root, 'web-viewer/dist/index.html'), 'utf8'), /<!-- changed -->/);
    assert.equal(build().isFresh, true);
  });

  test('takes in the engine once it is there, and never gives it up for an application without', () => {
    for (const [name, file] of [['base', 'ubp_base'], ['semantic', 'ubp_semantic']]) {
      const folder = join(root, 'bindings-wasm/dist', name);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, `${file}.js`), 'export default () => {}; export class Project {} export class Encoder {}\n');
      writeFileSync(join(folder, `${file}_bg.wasm`), name);
    }
    const engine = ({ files }) => files.filter((file) => /^assets\/ubp_(base|semantic)_bg-.*\.wasm$/.test(file)).length;
    assert.equal(engine(build()), 2);
    rmSync(join(root, 'bindings-wasm/dist/base'), { recursive: true });
    assert.equal(engine(build()), 2);
  });

  test('that cannot build the application is no failure, and says why', () => {
    rmSync(join(root, 'web-viewer/dist'), { recursive: true });
    writeFileSync(join(root, 'web-viewer/src/main.ts'), 'this is no program');
    const failed = build();
    assert.deepEqual(failed.files, []);
    assert.match(failed.says, /^its web app could not be built: vite build failed\. /);
    assert.deepEqual(readdirSync(join(root, 'web-viewer')).filter((name) => !['node_modules', 'dist'].includes(name) && !readdirSync(join(repository, 'web-viewer')).includes(name)), [], 'what was built is in no other folder');
  });
});
