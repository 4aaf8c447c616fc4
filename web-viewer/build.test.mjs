// Release builds with and without Node: runs the real build script of cli/host in a minimal package.
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
lzma-rust2 = { version = "0.25", default-features = false, features = ["encoder", "optimization", "std"] }
`;
/** Prints the embedded files, and the message of the program if there are none. */
const PROGRAM = `const INSIDE: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/web_app.rs"));
fn main() {
    for (path, _) in INSIDE { println!("{path}"); }
    eprintln!("{}", env!("UBP_WEB_APP_MISSING"));
}
`;

/** A folder of programs for `PATH`, without Node. */
function withoutNode(folder) {
  mkdirSync(folder);
  for (const name of ['cargo', 'rustc', 'rustup', 'cc', 'ld', 'as', 'sh', 'env', 'git']) {
    const found = process.env.PATH.split(delimiter).map((path) => join(path, name));
    for (const file of found) {
      try {
        // The programs of rustup depend on their own name.
        realpathSync(file);
        symlinkSync(file, join(folder, name));
        break;
      } catch {
        // Another folder may have it.
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
    // The files of a fresh clone, and the packages that `npm ci` would install.
    const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard', 'web-viewer', 'npm/ubp/generated', 'cli/src/language', 'bindings-wasm/dist', 'rust-toolchain.toml'], { cwd: repository, encoding: 'utf8' });
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

  test('without Node has no viewer, and prints the command that builds it', () => {
    const without = build({ ...environment, PATH: path });
    assert.deepEqual(without.files, []);
    assert.match(without.says, /^Node was not found .* Install Node 20\.19 or newer/);
    assert.match(without.log, /warning: .*`ubp viewer` will not work/);
    assert.equal(build({ ...environment, PATH: path }).isFresh, true, 'it was rebuilt without a change');
    const [, command] = /`([^`]+)`/.exec(without.says);
    assert.match(command, /cargo build --release$/);
    // The command is for the root of a clone; here this package takes the place of the workspace.
    const [make, compile] = command.split(' && ');
    execFileSync('sh', ['-c', make], { cwd: root, env: environment, stdio: 'pipe' });
    execFileSync('sh', ['-c', compile], { cwd: crate, env: environment, stdio: 'pipe' });
    const after = build();
    assert.ok(after.isFresh, 'the command had already built it');
    assert.ok(after.files.includes('index.html'));
  });

  test('with Node alone has the viewer, without an engine for browsers', () => {
    rmSync(join(root, 'web-viewer/dist'), { recursive: true });
    rmSync(environment.CARGO_TARGET_DIR, { recursive: true });
    const { files } = build();
    assert.ok(files.includes('index.html') && files.some((file) => file.endsWith('.js')), files.join());
    assert.deepEqual(files.filter((file) => file.endsWith('.wasm')), []);
    assert.ok(!files.some((file) => /(^|\/)\./.test(file)), 'hidden files are not embedded');
  });

  test('is repeated only after a change', () => {
    assert.equal(build().isFresh, true);
    appendFileSync(join(root, 'web-viewer/index.html'), '<!-- changed -->\n');
    const changed = build();
    assert.equal(changed.isFresh, false);
    assert.match(readFileSync(join(root, 'web-viewer/dist/index.html'), 'utf8'), /<!-- changed -->/);
    assert.equal(build().isFresh, true);
  });

  test('embeds the engine once it is built, and never replaces it by an app without it', () => {
    for (const [name, file] of [['base', 'ubp_base'], ['semantic', 'ubp_semantic']]) {
      const folder = join(root, 'bindings-wasm/dist', name);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, `${file}.js`), 'export default () => {}; export class Project {} export class Encoder {} export const setReader = () => {};\n');
      writeFileSync(join(folder, `${file}_bg.wasm`), name);
    }
    const engine = ({ files }) => files.filter((file) => /^assets\/ubp_(base|semantic)_bg-.*\.wasm$/.test(file)).length;
    assert.equal(engine(build()), 2);
    rmSync(join(root, 'bindings-wasm/dist/base'), { recursive: true });
    assert.equal(engine(build()), 2);
  });

  test('does not fail if the app cannot be built, and says why', () => {
    rmSync(join(root, 'web-viewer/dist'), { recursive: true });
    writeFileSync(join(root, 'web-viewer/src/main.ts'), 'this is no program');
    const failed = build();
    assert.deepEqual(failed.files, []);
    assert.match(failed.says, /^its web app could not be built: vite build failed\. /);
    assert.deepEqual(readdirSync(join(root, 'web-viewer')).filter((name) => !['node_modules', 'dist'].includes(name) && !readdirSync(join(repository, 'web-viewer')).includes(name)), [], 'the build wrote to another folder');
  });
});
