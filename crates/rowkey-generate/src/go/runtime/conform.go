package runtime

type conformRequest struct {
	ID         json.RawMessage    `json:"id"`
	Op         string             `json:"op"`
	Table      string             `json:"table"`
	Record     map[string]*string `json:"record"`
	Draws      []int              `json:"draws"`
	Key        string             `json:"key"`
	Query      string             `json:"query"`
	Parameters []*string          `json:"parameters"`
}

func (r *conformRequest) isNull(field string) bool {
	return r.Record[field] == nil
}

func (r *conformRequest) draw(int) int {
	if len(r.Draws) == 0 {
		return 0
	}
	drawn := r.Draws[0]
	r.Draws = r.Draws[1:]
	return drawn
}

// Answer is the answer to one request.
func Answer(line string) string {
	var request conformRequest
	if err := json.Unmarshal([]byte(line), &request); err != nil {
		return conformLine(map[string]any{"id": nil, "error": "bad_request", "at": err.Error()})
	}
	answer := map[string]any{"id": request.ID}
	err := conformAnswer(&request, answer)
	var refusal *Error
	if errors.As(err, &refusal) {
		answer["error"], answer["at"] = refusal.Kind, refusal.Field+refusal.Part
	} else if err != nil {
		answer["error"], answer["at"] = "bad_request", err.Error()
	}
	return conformLine(answer)
}

func conformAnswer(request *conformRequest, answer map[string]any) error {
	switch request.Op {
	case "encode":
		key, err := conformEncode(request)
		if err == nil {
			answer["key"] = hex.EncodeToString(key)
		}
		return err
	case "decode":
		key, err := hex.DecodeString(request.Key)
		if err != nil {
			return err
		}
		record, err := conformDecode(request, key)
		if err == nil {
			answer["record"] = record
		}
		return err
	case "ranges":
		return conformRanges(request, answer)
	}
	return fmt.Errorf("there is no request %q", request.Op)
}

func conformLine(answer map[string]any) string {
	line, err := json.Marshal(answer)
	if err != nil {
		return `{"error":"bad_answer"}`
	}
	return string(line)
}

func conformSigned[N int8 | int16 | int32 | int64](text string, bits int) (N, *Error) {
	number, err := strconv.ParseInt(text, 10, bits)
	return N(number), conformNumber(text, err)
}

func conformUnsigned[N uint8 | uint16 | uint32 | uint64](text string, bits int) (N, *Error) {
	number, err := strconv.ParseUint(text, 10, bits)
	if strings.HasPrefix(text, "-") {
		err = strconv.ErrRange
	}
	return N(number), conformNumber(text, err)
}

func conformFloat[N float32 | float64](text string, bits int) (N, *Error) {
	number, err := strconv.ParseFloat(text, bits)
	return N(number), conformNumber(text, err)
}

func conformNumber(text string, err error) *Error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, strconv.ErrRange):
		return problem(KindOutOfRange, "%s does not fit", text)
	}
	return problem(KindWrongKind, "%q is not a number", text)
}

func conformBig(text string) (*big.Int, *Error) {
	number, ok := new(big.Int).SetString(text, 10)
	if !ok {
		return nil, problem(KindWrongKind, "%q is not a number", text)
	}
	return number, nil
}

func conformBytes(text string, length int) ([]byte, *Error) {
	bytes, err := hex.DecodeString(text)
	if err != nil || length >= 0 && len(bytes) != length {
		return nil, problem(KindWrongKind, "%q is not as many bytes in hex", text)
	}
	return bytes, nil
}

func conformArray[A ~[4]byte | ~[16]byte](text string) (A, *Error) {
	var array A
	bytes, refused := conformBytes(text, len(array))
	for i, b := range bytes {
		array[i] = b
	}
	return array, refused
}

// parameter is a parameter of a query, empty if it is not there.
func (r *conformRequest) parameter(place int) *string {
	if place < len(r.Parameters) && r.Parameters[place] != nil {
		return r.Parameters[place]
	}
	return new(string)
}

func conformGroups(ranges Ranges, answer map[string]any) {
	all := [][2]string{}
	for _, group := range ranges.Groups {
		for _, own := range group.Ranges {
			all = append(all, [2]string{hex.EncodeToString(own.Start), hex.EncodeToString(own.Stop)})
		}
	}
	answer["ranges"], answer["reverse"] = all, ranges.Reverse
}
