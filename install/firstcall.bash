# Completion of firstcall's options and files in bash. The options are those that the command itself lists.

# Prints a line for each option of the command $1: the option, with an equals sign if a value follows, and the
# values if these are listed.
_firstcall_list() {
  echo -O0 && echo -O1 && echo -O2 && echo -O3
  "$1" --help 2>/dev/null | awk '
    function finish() { if (option) print option values; option = values = "" }
    /^  --/ { finish(); option = $1; sub(/\[?=.*/, "=", option) }
    /^    =/ && option { values = values " " substr($1, 2) }
    END { finish() }'
}

_firstcall() {
  local word=${COMP_WORDS[COMP_CWORD]} option= values= i
  # The value of an option: readline makes words of their own of the name, the equals sign and the value.
  if [[ $word == = ]]; then
    option=${COMP_WORDS[COMP_CWORD - 1]} word=
  elif ((COMP_CWORD > 1)) && [[ ${COMP_WORDS[COMP_CWORD - 1]} == = ]]; then
    option=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  if [[ $option ]]; then
    values=$(_firstcall_list "${COMP_WORDS[0]}" | sed -n "s/^$option= //p")
    if [[ $values ]]; then
      COMPREPLY=($(compgen -W "$values" -- "$word"))
      return
    fi
  else
    # Behind the program come its own arguments.
    for ((i = 1; i < COMP_CWORD; ++i)); do
      case "${COMP_WORDS[i]}" in
        -* | =) ;;
        cache)
          if ((i == 1 && COMP_CWORD == 2)); then
            COMPREPLY=($(compgen -W "list show verify clear push" -- "$word"))
            return
          fi
          break
          ;;
        bench | precompile | serve) ((i == 1)) || break ;;
        *) [[ ${COMP_WORDS[i - 1]} == = ]] || break ;;
      esac
    done
    if ((i == COMP_CWORD)) && [[ $word == -* ]]; then
      COMPREPLY=($(compgen -W "$(_firstcall_list "${COMP_WORDS[0]}" | cut -d' ' -f1)" -- "$word"))
      if [[ ${COMPREPLY[0]-} == *= ]]; then compopt -o nospace 2>/dev/null; fi
      return
    fi
  fi
  COMPREPLY=($(compgen -f -- "$word"))
  if ((COMP_CWORD == 1)); then COMPREPLY+=($(compgen -W "bench cache precompile serve" -- "$word")); fi
  compopt -o filenames 2>/dev/null
}

complete -F _firstcall firstcall
