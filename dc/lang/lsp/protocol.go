package lsp

import "encoding/json"

// message is a request, a notification or a reply. ID is absent of notifications.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
}

// object is an object of JSON.
type object = map[string]any

// responseError refuses a request.
type responseError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *responseError) Error() string { return e.Message }

// The codes of errors.
// Source: JSON-RPC 2.0, section 5.1, and the Language Server Protocol 3.17, ErrorCodes.
const (
	codeParse          = -32700
	codeRequest        = -32600
	codeMethod         = -32601
	codeParams         = -32602
	codeInternal       = -32603
	codeNotInitialized = -32002
	codeCancelled      = -32800
	codeFailed         = -32803
)

// position is a place in a document: line and unit of the encoding, from 0.
type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

type textRange struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

type location struct {
	URI   string    `json:"uri"`
	Range textRange `json:"range"`
}

type textEdit struct {
	Range   textRange `json:"range"`
	NewText string    `json:"newText"`
}

type diagnostic struct {
	Range    textRange            `json:"range"`
	Severity int                  `json:"severity"` // 1 error, 2 warning
	Source   string               `json:"source"`
	Message  string               `json:"message"`
	Related  []relatedInformation `json:"relatedInformation,omitempty"`
}

type relatedInformation struct {
	Location location `json:"location"`
	Message  string   `json:"message"`
}

type publishParams struct {
	URI         string       `json:"uri"`
	Version     int          `json:"version"`
	Diagnostics []diagnostic `json:"diagnostics"`
}

type markup struct {
	Kind  string `json:"kind"` // markdown or plaintext
	Value string `json:"value"`
}

type hover struct {
	Contents markup     `json:"contents"`
	Range    *textRange `json:"range,omitempty"`
}

type completionItem struct {
	Label         string    `json:"label"`
	Kind          int       `json:"kind"`
	Detail        string    `json:"detail,omitempty"`
	Documentation string    `json:"documentation,omitempty"`
	SortText      string    `json:"sortText,omitempty"`
	TextEdit      *textEdit `json:"textEdit,omitempty"`
}

// The kinds of completion items and symbols.
// Source: the Language Server Protocol 3.17, CompletionItemKind and SymbolKind.
const (
	itemFunction = 3
	itemVariable = 6
	itemProperty = 10
	itemValue    = 12
	itemKeyword  = 14
	itemFile     = 17
	itemConstant = 21

	symbolProperty = 7
	symbolEnum     = 10
	symbolFunction = 12
	symbolVariable = 13
	symbolConstant = 14
	symbolArray    = 18
	symbolEvent    = 24
)

type documentSymbol struct {
	Name           string    `json:"name"`
	Detail         string    `json:"detail,omitempty"`
	Kind           int       `json:"kind"`
	Range          textRange `json:"range"`
	SelectionRange textRange `json:"selectionRange"`
}

type documentHighlight struct {
	Range textRange `json:"range"`
	Kind  int       `json:"kind"` // 2 read, 3 write
}

type signatureHelp struct {
	Signatures      []signature `json:"signatures"`
	ActiveSignature int         `json:"activeSignature"`
	ActiveParameter int         `json:"activeParameter"`
}

type signature struct {
	Label         string      `json:"label"`
	Documentation string      `json:"documentation,omitempty"`
	Parameters    []parameter `json:"parameters"`
}

type parameter struct {
	Label string `json:"label"`
}

type workspaceEdit struct {
	Changes map[string][]textEdit `json:"changes"`
}

// The params of requests and notifications.

type textDocument struct {
	URI     string `json:"uri"`
	Version int    `json:"version"`
	Text    string `json:"text"`
}

type initializeParams struct {
	Capabilities struct {
		General struct {
			PositionEncodings []string `json:"positionEncodings"`
		} `json:"general"`
		TextDocument struct {
			Hover struct {
				ContentFormat []string `json:"contentFormat"`
			} `json:"hover"`
			PublishDiagnostics struct {
				RelatedInformation bool `json:"relatedInformation"`
			} `json:"publishDiagnostics"`
		} `json:"textDocument"`
	} `json:"capabilities"`
}

// params of notifications and of requests about a document.
type params struct {
	TextDocument   textDocument `json:"textDocument"`
	ContentChanges []struct {
		Range *textRange `json:"range"`
		Text  string     `json:"text"`
	} `json:"contentChanges"`
	ID       json.RawMessage `json:"id"` // of the request to be cancelled
	Position position        `json:"position"`
	NewName  string          `json:"newName"` // of rename
	Context  struct {
		IncludeDeclaration bool         `json:"includeDeclaration"` // of references
		Diagnostics        []diagnostic `json:"diagnostics"`        // of code actions
	} `json:"context"`
}
