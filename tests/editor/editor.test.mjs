// What an editor shows of a values file with the schema that `validate-values schema` prints: yaml-language-server is asked as an editor asks it. Its
// modules and the schema are in the folder MODULES: make test-editor.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { pathToFileURL } from 'node:url'

const modules = createRequire(join(process.env.MODULES, 'package.json'))
const { createMessageConnection, StreamMessageReader, StreamMessageWriter } = modules('vscode-jsonrpc/node')
const schema = join(process.env.MODULES, 'gitops-runtime.values.schema.json')
const deadline = { timeout: 120_000 }

let server, connection
const diagnosed = new Map() // by file: told with what the server says of it

before(async () => {
  server = spawn(process.execPath, [join(process.env.MODULES, 'node_modules/yaml-language-server/bin/yaml-language-server'), '--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] })
  connection = createMessageConnection(new StreamMessageReader(server.stdout), new StreamMessageWriter(server.stdin))
  connection.onRequest('client/registerCapability', () => null)
  const settings = { yaml: { schemas: { [pathToFileURL(schema)]: '*.yaml' }, schemaStore: { enable: false }, completion: true, hover: true, validate: true } }
  connection.onRequest('workspace/configuration', ({ items }) => items.map(({ section }) => settings[section] ?? null))
  connection.onNotification('textDocument/publishDiagnostics', ({ uri, diagnostics }) => diagnosed.get(uri)?.(diagnostics))
  connection.listen()
  await connection.sendRequest('initialize', { processId: process.pid, rootUri: null, capabilities: { workspace: { configuration: true } } })
  await connection.sendNotification('initialized', {})
  await connection.sendNotification('workspace/didChangeConfiguration', { settings })
}, deadline)

after(() => {
  connection?.dispose()
  server?.kill()
})

// opened tells the server of a file with a text, and returns its address and what the server says against it.
async function opened(name, text) {
  const uri = `file:///values/${encodeURIComponent(name)}.yaml`
  const said = new Promise((resolve) => diagnosed.set(uri, resolve))
  await connection.sendNotification('textDocument/didOpen', { textDocument: { uri, languageId: 'yaml', version: 1, text } })
  return { uri, problems: (await said).map(({ message, range }) => `${range.start.line}: ${message}`) }
}

for (const [name, text, expected] of [
  ['argo-cd.server', 'argo-cd:\n  server:\n    ', { extraArgs: /extraArgs:/, replicas: /replicas: .*1/, service: /service:/ }],
  ['argo-cd.configs', 'argo-cd:\n  configs:\n    ', { cm: /cm:/, params: /params:/ }],
  ['global.runtime', 'global:\n  runtime:\n    ', { name: /name:/, ingressUrl: /ingressUrl:/ }],
  ['argo-workflows.server', 'argo-workflows:\n  server:\n    ', { authModes: /authModes:/ }],
]) {
  test(`keys below ${name} are completed, each with its description`, deadline, async () => {
    const { uri } = await opened(name, text)
    const lines = text.split('\n')
    const answer = await connection.sendRequest('textDocument/completion', { textDocument: { uri }, position: { line: lines.length - 1, character: lines.at(-1).length } })
    const items = new Map((answer.items ?? answer).map((item) => [item.label, item]))
    for (const [key, inserted] of Object.entries(expected)) {
      assert.ok(items.has(key), `${key} is not among ${[...items.keys()]}`)
      assert.match(items.get(key).insertText, inserted)
      assert.ok(items.get(key).documentation, `${key} has no description`)
    }
    if (name === 'argo-cd.server') assert.ok(items.size > 50, `${items.size} keys`)
  })
}

test('a description is shown of a key', deadline, async () => {
  const { uri } = await opened('hover', 'argo-cd:\n  server:\n    replicas: 2\n')
  const { contents } = await connection.sendRequest('textDocument/hover', { textDocument: { uri }, position: { line: 2, character: 6 } })
  assert.match(contents.value, /Number of pods/)
})

for (const [name, text, expected] of [
  ['right', 'global:\n  runtime:\n    name: production\n', []],
  ['misspelled', 'argo-cd:\n  server:\n    replica: 2\n', ['2: Property replica is not allowed.']],
  ['of another type', 'argo-cd:\n  server:\n    replicas: many\n', ['2: Incorrect type. Expected one of integer, null.']],
]) {
  test(`a values file with what is ${name} is reported so`, deadline, async () => {
    assert.deepEqual((await opened(name, text)).problems, expected)
  })
}
