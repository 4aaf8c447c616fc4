-- The language server in Neovim without a screen, with the settings that docs/editors.md gives. Run by `tests/run node`:
--
--   UBP_UNDER_TEST=target/debug/ubp-under-test nvim --headless --clean -c "luafile tests/neovim/test.lua"
--
-- The last line is `N passed, N failed`.

local program = os.getenv("UBP_UNDER_TEST") or "ubp"
local source = debug.getinfo(1, "S").source:sub(2)
local repository = vim.fn.fnamemodify(source, ":p:h:h:h")
local folder = vim.fn.resolve(vim.fn.tempname())
local passed, failed = 0, 0

local function say(text) io.stdout:write(text .. "\n") end

local function path(name) return folder .. "/" .. name end

local function write(name, text)
  vim.fn.mkdir(vim.fn.fnamemodify(path(name), ":h"), "p")
  vim.fn.writefile(vim.split(text, "\n"), path(name), "b")
end

local function read(name) return table.concat(vim.fn.readfile(path(name), "b"), "\n") end

local function wait(what, is_so)
  assert(vim.wait(15000, is_so, 10), "never " .. what)
end

local function buffer_text() return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n") end

-- Opens a page as a person does, and waits until the server knows it.
local function edit(name)
  vim.cmd("edit! " .. vim.fn.fnameescape(path(name)))
  wait("attached to " .. name, function()
    local _, client = next(vim.lsp.buf_get_clients(0))
    return client ~= nil and client.initialized
  end)
end

-- Puts the cursor on the first place with this text.
local function go_to(text)
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  assert(vim.fn.search("\\V" .. vim.fn.escape(text, "\\"), "cW") > 0, "no " .. text)
end

local function ask(method, change)
  local params = vim.lsp.util.make_position_params(0, "utf-16")
  for name, value in pairs(change or {}) do params[name] = value end
  local answers = vim.lsp.buf_request_sync(0, method, params, 15000)
  local _, answer = next(answers or {})
  assert(answer, method .. ": no answer")
  assert(not answer.error, method .. ": " .. vim.inspect(answer.error))
  return answer.result
end

local function codes()
  return vim.tbl_map(function(own) return own.code end, vim.diagnostic.get(0))
end

local function test(name, run)
  local worked, reason = xpcall(run, debug.traceback)
  if worked then
    passed = passed + 1
    say("ok: " .. name)
  else
    failed = failed + 1
    say("FAILED: " .. name .. "\n" .. reason)
  end
end

-- The blocks of Lua below a heading of docs/editors.md, with the program under test.
local function settings(heading)
  local found, within, is_code = {}, false, false
  for _, line in ipairs(vim.fn.readfile(repository .. "/docs/editors.md")) do
    if line:match("^## ") then within = line == "## " .. heading end
    if within and line:match("^```") then
      is_code = line == "```lua"
      if is_code then table.insert(found, {}) end
    elseif within and is_code then
      table.insert(found[#found], line)
    end
  end
  return vim.tbl_map(function(lines)
    return (table.concat(lines, "\n"):gsub('{ "ubp", "lsp" }', string.format("{ %q, %q }", program, "lsp")))
  end, found)
end

local function main()
  write(".ubp/manifest.json", vim.fn.json_encode({
    version = "1.0", schema_version = 1, pages_dir = "pages", frontmatter = "preserved",
    embedding_model = { name = "no-such-model", version = "1.0", dimensions = 8 },
  }))
  write("pages/auth/Login.md", "# Login\n\n## Errors\n\nSee [[Guide]] and [tokens](tokens/Token.md).\n")
  write("pages/auth/tokens/Token.md", "# Token\n\n[up](../Login.md) [[auth/Login#Errors]]\n")
  write("pages/Guide.md", "# Guide\n\n[[Nowhere]]\n")
  -- Fifty links into the folder, of each kind that a move changes.
  for number = 1, 10 do
    write(string.format("pages/from/%d.md", number), string.format(
      "# From %d\n\n[[auth/Login]] [[auth/tokens/Token|the token]] [a](../auth/Login.md) [b](../auth/tokens/Token.md#token) ![[auth/Login#Errors]]\n",
      number))
  end
  vim.fn.chdir(folder)
  vim.cmd("filetype on")
  vim.opt.virtualedit = "onemore"
  local blocks = settings("Neovim")
  assert(#blocks == 3, "docs/editors.md has " .. #blocks .. " blocks of Lua for Neovim")
  -- The first is for versions from 0.11 on.
  if vim.lsp.config then
    assert(loadstring(blocks[1]))()
  else
    assert(loadstring(blocks[2]))()
  end
  assert(loadstring(blocks[3]))()

  test("problems are shown and completion knows the pages", function()
    edit("pages/Guide.md")
    wait("told of the broken link", function() return vim.deep_equal(codes(), { "unresolved_link" }) end)
    vim.api.nvim_buf_set_lines(0, 2, 3, false, { "é😀 [[Logi" })
    vim.api.nvim_win_set_cursor(0, { 3, #"é😀 [[Logi" })
    local items
    -- At first the pages are not indexed yet.
    wait("completed", function()
      items = vim.lsp.util.text_document_completion_list_to_complete_items(ask("textDocument/completion"), "")
      return #items > 0
    end)
    assert(items[1].word == "Login]]", vim.inspect(items))
    assert(buffer_text():find("Logi$") and read("pages/Guide.md"):find("Nowhere"), "nothing is saved")
    vim.cmd("edit!")
    wait("told of the broken link again", function() return vim.deep_equal(codes(), { "unresolved_link" }) end)
  end)

  test("a code action creates the missing page", function()
    edit("pages/Guide.md")
    wait("told of the broken link", function() return #codes() == 1 end)
    go_to("Nowhere")
    -- The choice of a person.
    local select = vim.ui.select
    local offered
    vim.ui.select = function(items, options, choose)
      offered = items
      for at, item in ipairs(items) do
        if options.format_item(item):find("Create the page") then return choose(item, at) end
      end
      choose(nil)
    end
    vim.lsp.buf.code_action()
    wait("offered actions", function() return offered ~= nil end)
    wait("created; offered: " .. vim.inspect(offered), function()
      return vim.fn.filereadable(path("pages/Nowhere.md")) == 1
    end)
    vim.ui.select = select
    assert(#offered >= 1)
    wait("repaired", function() return #codes() == 0 end)
  end)

  test("a heading is renamed with the links to it", function()
    edit("pages/auth/Login.md")
    go_to("Errors")
    vim.lsp.buf.rename("Failures")
    wait("renamed", function() return buffer_text():find("## Failures", 1, true) ~= nil end)
    vim.cmd("silent wall")
    assert(read("pages/auth/tokens/Token.md"):find("[[auth/Login#Failures]]", 1, true), read("pages/auth/tokens/Token.md"))
    assert(read("pages/from/7.md"):find("![[auth/Login#Failures]]", 1, true))
  end)

  test("a folder is moved with fifty links into it", function()
    edit("pages/auth/Login.md")
    write("pages/auth/.hidden/x", "not listed")
    write("pages/taken/Login.md", "# Other\n")
    for _, taken in ipairs({ "pages/taken", "pages/Guide.md" }) do
      local moved, reason = pcall(move_files, path("pages/auth"), path(taken))
      assert(not moved and reason:find("already exists"), reason)
    end
    move_files(path("pages/auth/"), path("pages/account/"))
    assert(vim.fn.isdirectory(path("pages/auth")) == 0)
    assert(read("pages/account/.hidden/x") == "not listed")
    assert(vim.api.nvim_buf_get_name(0) == path("pages/account/Login.md"), "the open page follows")
    vim.cmd("silent wall")
    assert(vim.fn.isdirectory(path("pages/auth")) == 0, "and is not written to its former place")
    for number = 1, 10 do
      local text = read(string.format("pages/from/%d.md", number))
      local expected = string.format(
        "# From %d\n\n[[account/Login]] [[account/tokens/Token|the token]] [a](../account/Login.md) [b](../account/tokens/Token.md#token) ![[account/Login#Failures]]\n",
        number)
      assert(text == expected, text)
    end
    assert(read("pages/account/tokens/Token.md"):find("[[account/Login#Failures]]", 1, true))
    assert(read("pages/account/Login.md"):find("[tokens](tokens/Token.md)", 1, true), "links within the folder stay")
    local found = vim.fn.systemlist({ "sh", "-c", '"$0" -C "$1" doctor --json 2>/dev/null', program, folder })
    local broken = vim.tbl_filter(function(own) return own.code == "unresolved_link" or own.code == "missing_heading" end,
      vim.fn.json_decode(found).findings)
    assert(#broken == 0, vim.inspect(broken))
  end)
end

local worked, reason = xpcall(main, debug.traceback)
if not worked then
  failed = failed + 1
  say("FAILED: the test itself\n" .. reason)
end
for _, client in pairs(vim.lsp.get_active_clients()) do client.stop() end
vim.wait(5000, function() return next(vim.lsp.get_active_clients()) == nil end, 10)
vim.fn.delete(folder, "rf")
say(string.format("%d passed, %d failed", passed, failed))
vim.cmd(failed == 0 and "qall!" or "cquit 1")
